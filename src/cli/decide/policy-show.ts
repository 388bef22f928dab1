import type { Command } from 'commander';
import { type GatewayOptions, gatewayClientCommand, withGateway } from '../reach/with-gateway.ts';

export function policyShowCommand(): Command {
  return gatewayClientCommand('show', 'the policy that is in force').action((_options, command: Command) =>
    show(command.optsWithGlobals()),
  );
}

async function show(options: GatewayOptions): Promise<void> {
  await withGateway('policy show', options, async (client) => {
    const [{ WardenServiceService }, { printJson, printLine }, { renderText }] = await Promise.all([
      import('../../gen/clawrden/v1/warden.ts'),
      import('../print/output.ts'),
      import('../../text/render-text.ts'),
    ]);
    const { hash, text, problem } = await client.call(WardenServiceService.getPolicy, {});
    if (options.json === true) return printJson({ hash, text, problem });
    if (problem !== '') printLine(['not in force', 'red'], `  ${renderText(problem)}`);
    printLine(`sha256 ${hash}`);
    for (const line of text.trimEnd().split('\n')) printLine(line);
  });
}
