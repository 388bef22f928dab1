import { Command } from 'commander';
import { type GatewayOptions, gatewayClientCommand, withGateway } from '../reach/with-gateway.ts';
import { toolsCheckCommand } from './tools-check.ts';

/** `clawrden tools …`. */
export function toolsCommands(): Command {
  const list = gatewayClientCommand('list', 'the tools that your agents may use, and how they run').action(
    (_options, command: Command) => listTools(command.optsWithGlobals()),
  );
  const show = gatewayClientCommand('show', 'one tool, and the rules that are about it')
    .argument('<name>')
    .action((name: string, _options, command: Command) => showTool(name, command.optsWithGlobals()));
  return new Command('tools')
    .description('what the policy in force says of each tool')
    .enablePositionalOptions()
    .addCommand(list)
    .addCommand(show)
    .addCommand(toolsCheckCommand())
    .addCommand(assignCommand())
    .addCommand(unassignCommand());
}

function assignCommand(): Command {
  return gatewayClientCommand('assign', 'give a tool to one agent: a person is asked each time')
    .argument('<agent>')
    .argument('<tool>')
    .option('--allow', 'nobody is asked')
    .option('--reason <text>', 'for the audit', '')
    .action((agent: string, tool: string, _options, command: Command) =>
      assign({ agent, tool }, command.optsWithGlobals()),
    );
}

function unassignCommand(): Command {
  return gatewayClientCommand('unassign', 'take from an agent a tool that was assigned to it')
    .argument('<agent>')
    .argument('<tool>')
    .option('--reason <text>', 'for the audit', '')
    .action((agent: string, tool: string, _options, command: Command) =>
      unassign({ agent, tool }, command.optsWithGlobals()),
    );
}

interface AssignOptions extends GatewayOptions {
  readonly allow?: boolean;
  readonly reason: string;
}

interface AgentsTool {
  readonly agent: string;
  readonly tool: string;
}

async function assign(of: AgentsTool, options: AssignOptions): Promise<void> {
  await withGateway('tools assign', options, async (client) => {
    const { assignTool } = await import('./assign-tool.ts');
    await assignTool(client, { ...of, allow: options.allow === true, reason: options.reason }, options);
  });
}

async function unassign(of: AgentsTool, options: AssignOptions): Promise<void> {
  await withGateway('tools unassign', options, async (client) => {
    const { unassignTool } = await import('./assign-tool.ts');
    await unassignTool(client, { ...of, reason: options.reason }, options);
  });
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
