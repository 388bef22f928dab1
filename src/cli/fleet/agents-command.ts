import { Command, InvalidArgumentError } from 'commander';
import type { Edit, WrittenAgent } from '../../config/edit-agents.ts';
import type { Label } from '../../gen/clawrden/v1/execution.ts';
import { addLabel } from '../reach/label-option.ts';
import { gatewayClientCommand } from '../reach/with-gateway.ts';

interface EditOptions {
  readonly config: string;
  readonly json?: boolean;
}

interface AddOptions extends EditOptions {
  readonly relay: string;
  readonly users?: readonly string[];
  readonly workspace?: string;
  readonly labels?: readonly Label[];
}

/** Without a sub-command it lists them. */
export function agentsCommand(): Command {
  return gatewayClientCommand('agents', 'the agents, and whether their relays are there')
    .action(async (_options, command: Command) => {
      const { agents } = await import('./fleet-commands.ts');
      await agents(command.optsWithGlobals());
    })
    .addCommand(addCommand())
    .addCommand(removeCommand());
}

function addCommand(): Command {
  return editCommand('add', 'write an agent into gateway.yaml; the gateway takes it up by itself')
    .requiredOption('--relay <name>', 'the relay of its host')
    .option('--users <uid:gid>', 'a user of its container (default: 1000:1000); may be given again', addUser)
    .option('--workspace <volume|/folder>', 'what it has at /app, on its host')
    .option('--labels <label=value>', 'for rules and scopes; may be given again', addLabel)
    .action(async (name: string, _options, command: Command) => {
      const options = command.optsWithGlobals<AddOptions>();
      const { addAgent } = await import('../../config/edit-agents.ts');
      const agent = toAgent(name, options);
      await change(options, 'added', name, (text) => addAgent(text, options.config, agent));
    });
}

function removeCommand(): Command {
  return editCommand('remove', 'take an agent out of gateway.yaml: its work ends at once').action(
    async (name: string, _options, command: Command) => {
      const options = command.optsWithGlobals<EditOptions>();
      const { removeAgent } = await import('../../config/edit-agents.ts');
      await change(options, 'removed', name, (text) => removeAgent(text, options.config, name));
    },
  );
}

function editCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .argument('<name>')
    .option('--config <file>', 'gateway.yaml', 'gateway.yaml')
    .option('--json', 'print JSON');
}

function addUser(text: string, users: readonly string[] = []): readonly string[] {
  if (!/^\d+:\d+$/.test(text)) throw new InvalidArgumentError('It must be a pair of numbers like 1000:1000.');
  return [...users, text];
}

function toAgent(
  name: string,
  { relay, users = ['1000:1000'], workspace, labels = [] }: AddOptions,
): WrittenAgent {
  return {
    ...{ name, relay, users },
    ...(labels.length > 0 && { labels: Object.fromEntries(labels.map(({ key, value }) => [key, value])) }),
    ...(workspace !== undefined && {
      workspace: workspace.startsWith('/') ? { bind: workspace } : { volume: workspace },
    }),
  };
}

async function change(
  { config, json }: EditOptions,
  how: 'added' | 'removed',
  name: string,
  edit: (text: string) => Edit,
): Promise<void> {
  const [{ editConfig }, { printJson, printLine }, { CliError }, { writeOut }] = await Promise.all([
    import('./edit-config.ts'),
    import('../print/output.ts'),
    import('../reach/cli-error.ts'),
    import('../print/streams.ts'),
  ]);
  const { left, lines, toDo } = await editConfig(config, edit);
  if (json === true) printJson({ [how]: left === undefined ? name : null, file: config, lines });
  if (left === undefined) {
    if (json !== true) printLine(['done ', 'green'], `${name} is ${how} in ${config}`);
    return;
  }
  if (json !== true) writeOut(lines);
  throw new CliError('agents', `${config} was not touched: ${left}`, toDo);
}
