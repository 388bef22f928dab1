import { newExecutionId } from '../../src/execution-id.ts';
import type { GatewayClient } from '../../src/gateway-client/connect-gateway.ts';

export interface BenchCommand {
  readonly agent: string;
  readonly tool: string;
  readonly cwd: string;
  /** Absent for a caller that is no relay. */
  readonly identity?: { readonly uid: number; readonly gid: number };
}

/** Runs it to its end; rejects if it does not exit with 7, as the commands of the bench do. */
export async function runOverGrpc(client: GatewayClient, wanted: BenchCommand): Promise<void> {
  const stream = client.execute();
  const ended = Promise.withResolvers<void>();
  stream.on('data', ({ message }) => {
    if (message?.$case !== 'outcome') return;
    if (message.value.code === 7) ended.resolve();
    else ended.reject(new Error(`${message.value.reason}: ${message.value.text}`));
  });
  stream.on('error', ended.reject);
  stream.write({ message: { $case: 'start', value: startMessage(wanted) } });
  await ended.promise;
  stream.end();
}

function startMessage({ agent, tool, cwd, identity }: BenchCommand) {
  const stdio = ['null', 'pipe', 'pipe'];
  const shape = { umask: 18, stdio, ignored: [], blocked: [], terminal: undefined, version: 1 };
  const command = { ...{ tool, args: [], cwd, env: [] }, ...shape };
  return {
    ...{ executionId: newExecutionId(), agent, command, identity },
    ...{ refusal: undefined, hostLabels: [] },
  };
}
