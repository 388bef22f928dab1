import type { Command } from 'commander';
import { type GatewayOptions, gatewayClientCommand, withGateway } from '../reach/with-gateway.ts';

export function watchCommand(): Command {
  return gatewayClientCommand(
    'watch',
    'the approval queue, live: read, approve and deny; JSON lines if stdout is no terminal',
  ).action((_options, command: Command) => watch(command.optsWithGlobals()));
}

async function watch(options: GatewayOptions): Promise<void> {
  await withGateway('watch', options, async (client) => {
    const { readContext } = await import('../reach/context.ts');
    if (options.json === true || !process.stdin.isTTY || !process.stdout.isTTY) {
      const { watchLines } = await import('./watch/watch-lines.ts');
      return await watchLines(client, readContext(options.context));
    }
    const { watchTerminal } = await import('./watch/watch-terminal.ts');
    return await watchTerminal(client, readContext(options.context));
  });
}
