import { Command } from 'commander';
import type { GatewayClient } from '../../gateway-client/connect-gateway.ts';
import { listCommand } from '../reach/list-command.ts';
import type { Pages } from '../reach/read-pages.ts';
import { type GatewayOptions, gatewayClientCommand, withGateway } from '../reach/with-gateway.ts';

/** Each command has some of them. */
interface WorkspaceOptions extends GatewayOptions, Pages {
  readonly reason?: string;
  readonly force?: boolean;
  readonly discard?: boolean;
}

/** `clawrden workspace …`. */
export function workspaceCommands(): Command {
  return new Command('workspace')
    .description('the workspaces that follow their agents to Docker hosts')
    .enablePositionalOptions()
    .addCommand(statusCommand())
    .addCommand(conflictsCommand())
    .addCommand(restoreCommand())
    .addCommand(trustCommand())
    .addCommand(resetCommand());
}

function statusCommand(): Command {
  return gatewayClientCommand('status', 'what is at home, and how far each replica is')
    .argument('<agent>', 'its name')
    .argument('[host]', 'only the replica on this Docker host')
    .action((agent: string, host: string | undefined, _options, command: Command) =>
      asked('status', command, async (client, options) => {
        const { printStatus } = await import('./print-workspace.ts');
        await printStatus(client, agent, host, options);
      }),
    );
}

function conflictsCommand(): Command {
  return listCommand('conflicts', 'files that were kept and not applied, newest first')
    .argument('<agent>', 'its name')
    .action((agent: string, _options, command: Command) =>
      asked('conflicts', command, async (client, options) => {
        const { printConflicts } = await import('./print-conflicts.ts');
        await printConflicts(client, agent, options);
      }),
    );
}

function restoreCommand(): Command {
  return recorded('restore', "put kept files back as the agent's; what they replace is kept in its turn")
    .argument('<agent>', 'its name')
    .argument('<id>', 'of the set, as conflicts shows it')
    .argument('[path]', 'only this file, as conflicts shows it (default: all of the set)')
    .action((agent: string, id: string, path: string | undefined, _options, command: Command) =>
      asked('restore', command, async (client, options) => {
        const { restoreKept } = await import('./restore-kept.ts');
        await restoreKept(client, { agent, id, path, reason: options.reason ?? '' }, options);
      }),
    );
}

function trustCommand(): Command {
  return recorded('trust', 'what is gone from the workspace is meant to be gone; ends workspace-suspect')
    .argument('<agent>', 'its name')
    .action((agent: string, _options, command: Command) =>
      asked('trust', command, async (client, options) => {
        const { trustWorkspace } = await import('./mend-workspace.ts');
        await trustWorkspace(client, { agent, reason: options.reason ?? '' }, options);
      }),
    );
}

function resetCommand(): Command {
  return recorded('reset', 'keep what only a replica has, and remove it: the next command copies again')
    .argument('<agent>', 'its name')
    .argument('[host]', 'only the replica on this Docker host (default: all)')
    .option('--force', 'end the commands that work in it')
    .option('--discard', 'lose what only it has, if its carrier does not start or home is gone')
    .action((agent: string, host: string | undefined, _options, command: Command) =>
      asked('reset', command, async (client, { force, discard, reason, ...options }) => {
        const { resetReplicas } = await import('./mend-workspace.ts');
        const wish = { agent, force: force === true, discard: discard === true, reason: reason ?? '' };
        await resetReplicas(client, host, wish, options);
      }),
    );
}

function recorded(name: string, description: string): Command {
  return gatewayClientCommand(name, description).option('--reason <text>', 'for the record');
}

async function asked(
  word: string,
  command: Command,
  work: (client: GatewayClient, options: WorkspaceOptions) => Promise<void>,
): Promise<void> {
  const options: WorkspaceOptions = command.optsWithGlobals();
  await withGateway(`workspace ${word}`, options, (client) => work(client, options));
}
