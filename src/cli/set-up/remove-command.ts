import type { Command } from 'commander';
import { type GatewayOptions, gatewayClientCommand, withGateway } from '../reach/with-gateway.ts';

interface RemoveOptions extends GatewayOptions {
  readonly reason?: string;
}

interface Removing {
  /** The command above it. */
  readonly of: string;
  readonly description: string;
  readonly method: 'removeUser' | 'removeApiToken';
  readonly told: (name: string) => string;
}

/** `remove NAME`, of those whose names are not used again. */
export function removeCommand(removing: Removing): Command {
  return gatewayClientCommand('remove', removing.description)
    .argument('<name>')
    .option('--reason <text>', 'for the record')
    .action((name: string, _options, command: Command) => remove(name, removing, command.optsWithGlobals()));
}

async function remove(
  name: string,
  { of, method, told }: Removing,
  { reason = '', ...options }: RemoveOptions,
): Promise<void> {
  await withGateway(of, options, async (client) => {
    const [{ WardenServiceService }, { printJson, printLine }] = await Promise.all([
      import('../../gen/clawrden/v1/warden.ts'),
      import('../print/output.ts'),
    ]);
    await client.call(WardenServiceService[method], {
      name,
      reason,
    });
    if (options.json === true) return printJson({ removed: name });
    printLine(['done ', 'green'], told(name));
  });
}
