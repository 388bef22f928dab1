import { Argument, type Command } from 'commander';
import type { AgentStatus, Halt } from '../../gen/clawrden/v1/warden.ts';
import { CliError } from '../reach/cli-error.ts';
import { type GatewayOptions, gatewayClientCommand, withGateway } from '../reach/with-gateway.ts';

interface HaltOptions extends GatewayOptions {
  readonly reason?: string;
}

const words = {
  pause: { status: 'PAUSED', description: 'refuse its new work, end its running work, pause its container' },
  kill: { status: 'KILLED', description: 'refuse its new work, end its running work, kill its container' },
  resume: { status: 'ACTIVE', description: 'let an agent work again' },
} as const satisfies Record<string, { status: keyof typeof AgentStatus; description: string }>;

type Word = keyof typeof words;

export function pauseCommand(): Command {
  return agentCommand('pause');
}

export function resumeCommand(): Command {
  return agentCommand('resume');
}

export function killCommand(): Command {
  return agentCommand('kill');
}

export function lockdownCommand(): Command {
  return gatewayClientCommand('lockdown', 'pause every agent at once, or end that')
    .addArgument(new Argument('<state>', 'whether').choices(['on', 'off']))
    .option('--reason <text>', 'for the record')
    .action((state: string, _options, command: Command) =>
      setLockdown(state === 'on', command.optsWithGlobals()),
    );
}

function agentCommand(word: Word): Command {
  return gatewayClientCommand(word, words[word].description)
    .argument('<agent>', 'its name')
    .option('--reason <text>', 'for the record')
    .action((agent: string, _options, command: Command) => setState(word, agent, command.optsWithGlobals()));
}

async function setState(word: Word, agent: string, options: HaltOptions): Promise<void> {
  await withGateway(word, options, async (client) => {
    const { AgentStatus: statuses, WardenServiceService } = await import('../../gen/clawrden/v1/warden.ts');
    const request = { agent, status: statuses[words[word].status], reason: options.reason ?? '' };
    const { halt } = await client.call(WardenServiceService.setAgentState, request);
    await report(word, `${word} ${agent}`, halt, options);
  });
}

async function setLockdown(on: boolean, options: HaltOptions): Promise<void> {
  await withGateway('lockdown', options, async (client) => {
    const { WardenServiceService } = await import('../../gen/clawrden/v1/warden.ts');
    const request = { on, reason: options.reason ?? '' };
    const { halt } = await client.call(WardenServiceService.setLockdown, request);
    await report('lockdown', `lockdown ${on ? 'on' : 'off'}`, halt, options);
  });
}

/** If something was not confirmed, the command fails for its user, though the state itself holds. */
async function report(
  what: string,
  done: string,
  halt: Halt | undefined,
  options: HaltOptions,
): Promise<void> {
  const { stopped = 0, unconfirmed = [] } = halt ?? {};
  const { printJson, printLine } = await import('../print/output.ts');
  if (options.json === true) printJson({ done, stopped, unconfirmed });
  else printLine(['done ', 'green'], `${done}, ${stopped} executions ended`);
  if (unconfirmed.length === 0) return;
  const why = `not confirmed to be gone: ${unconfirmed.join(', ')}`;
  throw new CliError(what, why, 'its own deadline ends what runs on a host that cannot be reached');
}
