import type { Command } from 'commander';
import type { Cell } from '../print/output.ts';
import { type GatewayOptions, gatewayClientCommand, withGateway } from '../reach/with-gateway.ts';

export function relaysCommand(): Command {
  return gatewayClientCommand('relays', 'the relays, and from where they are connected').action(
    (_options, command: Command) => relays(command.optsWithGlobals()),
  );
}

async function relays(options: GatewayOptions): Promise<void> {
  await withGateway('relays', options, async (client) => {
    const [{ listRelays }, { printJson, printTable }, { localTime }, { renderText }] = await Promise.all([
      import('./list-fleet.ts'),
      import('../print/output.ts'),
      import('../print/times.ts'),
      import('../../text/render-text.ts'),
    ]);
    const all = await listRelays(client);
    if (options.json === true) return printJson(all);
    const rows = all.map(({ name, agents, connected, peer, version, connectedAt, fingerprint }): Cell[] => [
      name,
      connected ? ['connected', 'green'] : ['not connected', 'red'],
      `${agents}`,
      ...[peer, localTime(connectedAt), renderText(version), fingerprint],
    ]);
    printTable(['RELAY', 'STATE', 'AGENTS', 'FROM', 'SINCE', 'VERSION', 'CERTIFICATE'], rows);
  });
}
