import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { leavesOf } from '../../src/policy/arguments/tools/grammar.ts';
import { compileArgs } from '../../src/policy/rules/match-args.ts';
import { grammarOf } from './command-lines.ts';
import { type About, holds, oneRule } from './one-rule.ts';
import { findTool } from './scratch.ts';

/** The first words of all sub-commands that the data knows. */
function namesOf(tool: string): string[] {
  const leaves = leavesOf(grammarOf(tool).subcommands);
  return [...new Set(leaves.flatMap(({ spellings }) => spellings.map(([first = '']) => first)))];
}

/** How an agent's file gives a sub-command a meaning of its own. */
const aliasFiles = {
  git: (names: readonly string[]) => ({
    file: '.gitconfig',
    text: `[alias]\n${names.map((name) => `${name} = !echo ALIAS`).join('\n')}\n`,
  }),
  cargo: (names: readonly string[]) => ({
    file: '.cargo/config.toml',
    text: `[alias]\n${names.map((name) => `${name} = "no-such-command-ALIAS"`).join('\n')}\n`,
  }),
} as const;

/** Those of the names that the installed tool looks up among the aliases of its user. */
function aliasedOf(tool: keyof typeof aliasFiles, names: readonly string[]): string[] {
  const dir = mkdtempSync(join(tmpdir(), 'clawrden-aliases-'));
  const { file, text } = aliasFiles[tool](names);
  mkdirSync(dirname(join(dir, file)), { recursive: true });
  writeFileSync(join(dir, file), text);
  const aliased = names.filter((name) => {
    const { stdout, stderr } = spawnSync(findTool(tool) ?? tool, [name, '-h'], {
      cwd: dir,
      env: {
        ...process.env,
        HOME: tool === 'git' ? dir : (process.env['HOME'] ?? ''),
        GIT_CONFIG_NOSYSTEM: '1',
      },
      encoding: 'utf8',
      timeout: 5000,
    });
    return /ALIAS/.test(stdout + stderr);
  });
  rmSync(dir, { recursive: true });
  return aliased;
}

test.for(['git', 'cargo'] as const)(
  'A-126 P7: %s looks for aliases only under names that the data does not take for granted',
  (tool, context) => {
    if (findTool(tool) === undefined) context.skip(`${tool} is not installed`);
    const taken = aliasedOf(tool, ['no-such-name', ...namesOf(tool)]);
    expect(taken).toContain('no-such-name');
    const { mayBeAliases = new Set() } = grammarOf(tool);
    expect(taken.filter((name) => name !== 'no-such-name' && !mayBeAliases.has(name))).toEqual([]);
  },
);

test.each([
  ['git', 'push', 'log'],
  ['cargo', 'publish', 'clean'],
])(
  'A-126: a rule of %s against %s holds for a name that an alias can have, and lets %s pass',
  (tool, denied, other) => {
    const abouts: readonly About[] = [
      { subcommands: new Set([denied]) },
      { args: compileArgs([denied, '**']) },
      { flags: ['--force'] },
    ];
    for (const about of abouts) {
      const policy = oneRule(tool, about);
      const names = [...(grammarOf(tool).mayBeAliases ?? [])];
      expect(names.length).toBeGreaterThan(3);
      expect(names.filter((name) => !holds(policy, tool, [name]))).toEqual([]);
      expect(holds(policy, tool, [other])).toBe(false);
    }
  },
);
