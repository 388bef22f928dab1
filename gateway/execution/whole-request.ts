import { newExecutionId } from '../../src/execution-id.ts';
import type { StartRequest } from '../ports/channel.ts';

/** A command whose input is all there, or that has none. */
export interface WholeCommand {
  /** A new one if it is left out. */
  readonly id?: string | undefined;
  readonly agent: string;
  readonly tool: string;
  readonly args: readonly string[];
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** What it is for. */
  readonly reason?: string | undefined;
  readonly hostLabels?: Readonly<Record<string, string>> | undefined;
}

const umask = 0o022;

/** As it is executed for a caller that has no terminal, and no file of its own. */
export function wholeRequest(command: WholeCommand, input: Uint8Array | undefined): StartRequest {
  const { id: executionId = newExecutionId(), agent, tool, args, cwd = '', env, hostLabels = {} } = command;
  const said = command.reason === undefined ? {} : { CLAWRDEN_REASON: command.reason };
  return {
    ...{ executionId, agent, hostLabels },
    command: {
      ...{ tool, args, cwd, umask },
      env: Object.entries({ ...env, ...said }).map(([name, value]) => `${name}=${value}`),
      stdio: [input === undefined ? 'null' : 'pipe', 'pipe', 'pipe'],
      ignored: [],
      version: 1,
    },
  };
}
