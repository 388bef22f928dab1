import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { expect, it } from 'vitest';
import { program } from '../../src/cli/program.ts';

it('docs/setup.md, docs/operations.md or docs/policy.md shows every command of the command line', async () => {
  const pages = await Promise.all(['setup.md', 'operations.md', 'policy.md'].map(readPage));
  const text = pages.join('\n');
  const commands = leaves(program(), 'clawrden');
  expect(commands).toContain('clawrden token create');
  expect(commands.filter((command) => !text.includes(command))).toEqual([]);
});

function leaves(command: Command, path: string): string[] {
  // What `--help` hides is called by a shell, not by people.
  const shown = command.createHelp().visibleCommands(command);
  const below = shown.flatMap((each) => leaves(each, `${path} ${each.name()}`));
  return below.length > 0 ? below : [path];
}

function readPage(name: string): Promise<string> {
  return readFile(join(import.meta.dirname, '../../docs', name), 'utf8').catch(() => '');
}
