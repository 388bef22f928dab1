import { Command } from 'commander';
import { listCommand } from '../reach/list-command.ts';
import type { Pages } from '../reach/read-pages.ts';
import { type GatewayOptions, gatewayClientCommand, withGateway } from '../reach/with-gateway.ts';

interface ResetOptions extends GatewayOptions {
  readonly reason?: string;
}

/** `clawrden session …`. */
export function sessionCommands(): Command {
  const list = listCommand('list', 'those that are there, by agent').action((_options, command: Command) =>
    listSessions(command.optsWithGlobals()),
  );
  const reset = gatewayClientCommand('reset', 'end what an agent keeps: its next command gets a fresh one')
    .argument('<agent>', 'its name')
    .option('--reason <text>', 'for the record')
    .action((agent: string, _options, command: Command) => resetSessions(agent, command.optsWithGlobals()));
  return new Command('session')
    .description('containers that agents keep between commands')
    .addCommand(list)
    .addCommand(reset);
}

async function listSessions(options: GatewayOptions & Pages): Promise<void> {
  await withGateway('session list', options, async (client) => {
    const { printSessions } = await import('./print-sessions.ts');
    await printSessions(client, options);
  });
}

async function resetSessions(agent: string, { reason = '', ...options }: ResetOptions): Promise<void> {
  await withGateway('session reset', options, async (client) => {
    const { resetSessionsOf } = await import('./print-sessions.ts');
    await resetSessionsOf(client, { agent, reason }, options);
  });
}
