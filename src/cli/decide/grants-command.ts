import { Command } from 'commander';
import { listCommand } from '../reach/list-command.ts';
import type { Pages } from '../reach/read-pages.ts';
import { type GatewayOptions, gatewayClientCommand, withGateway } from '../reach/with-gateway.ts';

interface RevokeOptions extends GatewayOptions {
  readonly reason?: string;
}

export function grantsCommand(): Command {
  const list = listCommand(
    'list',
    "what runs without a question because somebody approved it for a while: every agent's oldest first",
  ).action((_options, command: Command) => listGrants(command.optsWithGlobals()));
  const revoke = gatewayClientCommand('revoke', 'end a grant: what it covered is asked about again')
    .argument('<id>', 'its id, as grants list shows it')
    .option('--reason <text>', 'for the record')
    .action((id: string, _options, command: Command) => revokeGrant(id, command.optsWithGlobals()));
  return new Command('grants')
    .description('what was approved for a while')
    .addCommand(list)
    .addCommand(revoke);
}

async function listGrants(options: GatewayOptions & Pages): Promise<void> {
  await withGateway('grants', options, async (client) => {
    const { printGrants } = await import('./print-grants.ts');
    await printGrants(client, options);
  });
}

async function revokeGrant(id: string, { reason = '', ...options }: RevokeOptions): Promise<void> {
  await withGateway('grants', options, async (client) => {
    const [{ WardenServiceService }, { printJson, printFolded }, { commandText }] = await Promise.all([
      import('../../gen/clawrden/v1/warden.ts'),
      import('../print/output.ts'),
      import('../../text/command-text.ts'),
    ]);
    const { grant } = await client.call(WardenServiceService.revokeGrant, { id, reason });
    if (grant === undefined) throw new Error('the gateway answered nothing');
    if (options.json === true) return printJson(grant);
    printFolded(['done ', 'green'], `asked about again: ${commandText(grant)}`);
  });
}
