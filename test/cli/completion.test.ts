import { existsSync } from 'node:fs';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launcher } from '../stack/launcher.ts';
import { ended, start } from './clawrden.ts';
import { hasTmux, openTerminal, type Terminal } from './terminal.ts';

const path = process.env['PATH'] ?? '';
const has = (program: string) => path.split(delimiter).some((folder) => existsSync(join(folder, program)));

/** How each is started without its user's own files, and loads its completion. */
const shells = {
  bash: ['bash --norc --noprofile', 'eval "$(clawrden completion bash)"'],
  zsh: ['zsh -f', 'autoload -Uz compinit; compinit -u -D; eval "$(clawrden completion zsh)"'],
  fish: ['fish --no-config', 'clawrden completion fish | source'],
} as const;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'clawrden-completion-'));
  await symlink(launcher, join(folder, 'clawrden'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function openShell(shell: keyof typeof shells): Promise<Terminal> {
  const [command, load] = shells[shell];
  const terminal = await openTerminal();
  await terminal.type(`exec env HOME=${folder} PATH=${folder}:${path} ${command}`, 'Enter');
  await terminal.type(`${load}; echo loa""ded`, 'Enter');
  await terminal.shows(/^loaded$/m, 30_000);
  return terminal;
}

// Without the program they are not tried: scripts/bootstrap tests brings them.
describe.each(['bash', 'zsh', 'fish'] as const)('completion in a real %s', (shell) => {
  test.skipIf(!hasTmux || !has(shell))(
    'completes a command, one of its own, an option and a value; nothing that is wrong',
    async () => {
      await using terminal = await openShell(shell);
      await terminal.type('clawrden lockd', 'Tab');
      await terminal.shows(/clawrden lockdown/, 30_000);
      await terminal.type('o', 'Tab', 'C-u');
      await terminal.type('clawrden audit ver', 'Tab');
      await terminal.shows(/clawrden audit verify/, 30_000);
      await terminal.type('C-u');
      await terminal.type('clawrden history --decision de', 'Tab');
      await terminal.shows(/clawrden history --decision deny/, 30_000);
      await terminal.type('C-u');
      await terminal.type('clawrden history --decis', 'Tab');
      await terminal.shows(/clawrden history --decision/, 30_000);
    },
  );
});

test('of a shell that it does not know it says which it knows', async () => {
  const { code, stderr } = await ended(start(['completion', 'tcsh']));
  expect([code, stderr]).toEqual([2, expect.stringMatching(/bash, zsh, fish/)]);
});
