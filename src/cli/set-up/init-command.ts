import { isIP } from 'node:net';
import { join, resolve } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { CliError } from '../reach/cli-error.ts';

interface InitOptions {
  readonly dir: string;
  readonly name: readonly string[];
  readonly json?: boolean;
}

export function initCommand(): Command {
  return new Command('init')
    .description('make a state folder: authority, keys, your credentials, gateway.yaml and policy.yaml')
    .requiredOption('--dir <folder>', 'the folder, new or empty')
    .option(
      '--name <hostname>',
      'a name or address that the gateway is reached by; may be given again',
      addName,
      [],
    )
    .option('--json', 'print JSON')
    .action(init);
}

function addName(name: string, names: readonly string[]): readonly string[] {
  if (isIP(name) === 0 && !/^(?!-)[A-Za-z0-9-]{1,63}(\.[A-Za-z0-9-]{1,63})*$/.test(name))
    throw new InvalidArgumentError('It must be a host name or an address.');
  return [...names, name];
}

async function init({ dir, name, json }: InitOptions): Promise<void> {
  const folder = resolve(dir);
  const { makeState } = await import('./make-state.ts');
  const made = await makeState({ dir: folder, names: name }).catch((error: Error) => {
    throw new CliError(
      'init',
      `${folder}: ${error.message}`,
      'name a folder that is new, or empty and your own',
    );
  });
  const [{ printJson, printLine }, { tell }] = await Promise.all([
    import('../print/output.ts'),
    import('../print/tell.ts'),
  ]);
  const [context] = made.contexts;
  if (made.problem !== undefined)
    tell(
      `clawrden: init: the default context is not written: ${made.problem}; name ${context} with --context or CLAWRDEN_CONTEXT`,
    );
  if (json === true) return printJson({ dir: folder, ...made });
  const gateway = join(folder, 'gateway.yaml');
  printLine(['made ', 'green'], folder);
  printLine('  your context     ', made.contexts.join(' and '));
  printLine('  hosts and agents ', gateway);
  printLine('  rules            ', join(folder, 'policy.yaml'));
  printLine('next: edit these two, then run  ', [`clawrden gateway --config ${gateway}`, 'bold']);
}
