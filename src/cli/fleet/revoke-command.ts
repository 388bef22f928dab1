import type { Command } from 'commander';
import { type GatewayOptions, gatewayClientCommand, withGateway } from '../reach/with-gateway.ts';

interface RevokeOptions extends GatewayOptions {
  readonly reason?: string;
}

export function revokeCommand(): Command {
  return gatewayClientCommand(
    'revoke',
    "end a relay's certificates, its connections and its work, until it enrols again",
  )
    .argument('<relay>', 'its name')
    .option('--reason <text>', 'for the record')
    .action((relay: string, _options, command: Command) => revoke(relay, command.optsWithGlobals()));
}

async function revoke(relay: string, { reason = '', ...options }: RevokeOptions): Promise<void> {
  await withGateway('revoke', options, async (client) => {
    const [{ WardenServiceService }, { printJson, printLine }] = await Promise.all([
      import('../../gen/clawrden/v1/warden.ts'),
      import('../print/output.ts'),
    ]);
    await client.call(WardenServiceService.revokeRelay, { relay, reason });
    if (options.json === true) return printJson({ revoked: relay });
    printLine(
      ['done ', 'green'],
      `${relay} is out; to let it in again: clawrden token create --relay ${relay} ...`,
    );
  });
}
