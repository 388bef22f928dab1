import type { Command } from 'commander';
import { type GatewayOptions, gatewayClientCommand, withGateway } from '../reach/with-gateway.ts';

export function statusCommand(): Command {
  return gatewayClientCommand('status', 'how the gateway is, and what it warns of').action(
    (_options, command: Command) => status(command.optsWithGlobals()),
  );
}

async function status(options: GatewayOptions): Promise<void> {
  await withGateway('status', options, async (client) => {
    const { printStatus } = await import('./print-status.ts');
    await printStatus(client, options);
  });
}
