import type { Command } from 'commander';
import { CliError } from '../reach/cli-error.ts';
import { type GatewayOptions, gatewayClientCommand, withGateway } from '../reach/with-gateway.ts';

interface ReplayOptions extends GatewayOptions {
  readonly speed: number;
  readonly caller?: string;
}

interface LogsOptions extends GatewayOptions {
  readonly follow?: boolean;
  readonly caller?: string;
}

const [slowest, fastest] = [0.1, 100];

export function replayCommand(): Command {
  return gatewayClientCommand('replay', 'what a command wrote, as it came; the policy must say record: full')
    .argument('<id>', 'its id, or enough of its beginning')
    .option('--caller <name>', "whose execution it is, like relay:NAME, if two callers' have the same id")
    .option('--speed <factor>', `${slowest} to ${fastest} times as fast`, toSpeed, 1)
    .action((id: string, _options, command: Command) => replay(id, command.optsWithGlobals()));
}

export function logsCommand(): Command {
  return gatewayClientCommand('logs', 'what a command wrote, or, with -f, what it writes until it ends')
    .argument('<id>', 'its id, or enough of its beginning')
    .option('--caller <name>', "whose execution it is, like relay:NAME, if two callers' have the same id")
    .option('-f, --follow', 'the last 64 KiB of a running one, and what comes')
    .action((id: string, _options, command: Command) => logs(id, command.optsWithGlobals()));
}

async function replay(id: string, options: ReplayOptions): Promise<void> {
  const { caller = '' } = options;
  await withGateway('replay', options, async (client) => {
    const { replayRecording } = await import('./replay-recording.ts');
    await replayRecording(client, { id, caller }, options);
  });
}

async function logs(id: string, options: LogsOptions): Promise<void> {
  const { caller = '' } = options;
  await withGateway('logs', options, async (client) => {
    if (options.follow !== true)
      return await (await import('./show-output.ts')).showOutput(client, { id, caller }, options);
    const { followLogs } = await import('./follow-logs.ts');
    await followLogs(client, { id, caller }, options);
  });
}

function toSpeed(text: string): number {
  const speed = Number(text);
  if (speed >= slowest && speed <= fastest) return speed;
  throw new CliError('usage', `--speed is ${slowest} to ${fastest}`, 'see clawrden replay --help');
}
