import { Command } from 'commander';
import { type GatewayOptions, gatewayClientCommand, withGateway } from '../reach/with-gateway.ts';

export function toolsCommands(): Command {
  const list = gatewayClientCommand('list', 'the tools that your agents may use, and how they run').action(
    (_options, command: Command) => listTools(command.optsWithGlobals()),
  );
  const show = gatewayClientCommand('show', 'one tool, and the rules that are about it')
    .argument('<name>')
    .action((name: string, _options, command: Command) => showTool(name, command.optsWithGlobals()));
  return new Command('tools')
    .description('what the policy in force says of each tool')
    .addCommand(list)
    .addCommand(show);
}

async function listTools(options: GatewayOptions): Promise<void> {
  await withGateway('tools', options, async (client) => {
    const { printTools } = await import('./print-tools.ts');
    await printTools(client, options);
  });
}

async function showTool(name: string, options: GatewayOptions): Promise<void> {
  await withGateway('tools', options, async (client) => {
    const { printTool } = await import('./print-tools.ts');
    await printTool(client, name, options);
  });
}
