import { Command } from 'commander';
import { parseDuration } from '../../config/quantities.ts';
import { CliError } from '../reach/cli-error.ts';
import { type GatewayOptions, gatewayClientCommand, withGateway } from '../reach/with-gateway.ts';

interface LearnOptions extends GatewayOptions {
  readonly tool: string;
  readonly for: string;
  readonly reason?: string;
}

/** `clawrden egress …`. */
export function egressCommands(): Command {
  const learn = gatewayClientCommand(
    'learn',
    "which destinations a tool needs: until ^C the agent's new commands of it reach every public address",
  )
    .argument('<agent>')
    .requiredOption('--tool <name>', 'a tool that runs by ghost')
    .option('--for <time>', 'at most so long, an hour at most', '10m')
    .option('--reason <text>', 'for the audit')
    .action((agent: string, _options, command: Command) => learnAs(agent, command.optsWithGlobals()));
  return new Command('egress').description('what tools reach by name').addCommand(learn);
}

async function learnAs(agent: string, options: LearnOptions): Promise<void> {
  const { tool, reason = '', json = false } = options;
  const seconds = secondsOf(options.for);
  await withGateway('egress learn', options, async (client) => {
    const { learnDestinations } = await import('./learn-destinations.ts');
    await learnDestinations(client, { agent, tool, seconds, reason }, json);
  });
}

function secondsOf(text: string): number {
  const seconds = text.includes('ms') ? 0 : (parseDuration(text) ?? 0) / 1000;
  if (Number.isInteger(seconds) && seconds >= 1 && seconds <= 3600) return seconds;
  const why = `--for ${JSON.stringify(text)} is no time in whole seconds, of an hour at most`;
  throw new CliError('egress learn', why, 'write it like 10m');
}
