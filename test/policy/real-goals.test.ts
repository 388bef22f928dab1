import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { compileArgs } from '../../src/policy/rules/match-args.ts';
import { allIfLong } from '../fixtures/sampled.ts';
import { holds, oneRule } from './one-rule.ts';

const dir = mkdtempSync(join(tmpdir(), 'clawrden-goals-'));
const ran = join(dir, 'RAN');
writeFileSync(join(dir, 'Makefile'), 'all: ;@:\ndeploy: ;@touch RAN\n');
afterAll(() => rmSync(dir, { recursive: true }));

const version = spawnSync('make', ['--version'], { encoding: 'utf8' });
const isThere = version.error === undefined && version.stdout.startsWith('GNU Make');

/** Whether the real make makes `deploy`. */
function deploys(args: readonly string[]): boolean {
  rmSync(ran, { force: true });
  spawnSync('make', args, { cwd: dir, stdio: 'ignore', timeout: 30_000 });
  return existsSync(ran);
}

const noDeploy = oneRule('make', { args: compileArgs(['deploy', '**']) });

const options = [
  ...['-j', '-l', '--jobs', '--load-average', '--max-load', '-sj', '-rsl', '-O', '-d', '--debug'],
  ...['-o', '-W', '--output-sync', '-w', '--', '-jl', '-lj'],
];
const numbers = ['4', '0', '00', '4x', '.5', '1.5', '+4', '1e3', ''];
const special = [
  ...[
    '.DEFAULT_GOAL',
    '.EXTRA_PREREQS',
    ' .DEFAULT_GOAL',
    'MAKECMDGOALS',
    'GOALS',
    '.VARIABLES',
    'MAKEFLAGS',
  ],
  ...['SHELL', 'VPATH', 'SUFFIXES', '.LIBPATTERNS', '.RECIPEPREFIX', 'MAKEOVERRIDES', 'X', 'CC'],
];
const assigned = ['=', ':=', '::=', ':::=', '?=', '+=', ' = ', '!='];
const written = [
  'deploy',
  './deploy',
  './/deploy',
  '././deploy',
  ' deploy',
  '~/deploy',
  '.',
  'all/../deploy',
];

const lines: readonly (readonly string[])[] = [
  ...options.flatMap((option) => numbers.map((number) => [option, number, 'deploy'])),
  ...special.flatMap((name) => assigned.map((operator) => [`${name}${operator}deploy`])),
  ...special.flatMap((name) => assigned.slice(0, 2).map((operator) => [`${name}${operator}x`, 'deploy'])),
  ...written.flatMap((goal) => [[goal], ['--', goal], ['-k', goal], ['V=1', goal], ['--', 'V=1', goal]]),
  ...['all: deploy', '.DEFAULT_GOAL=deploy', 'deploy:'].flatMap((text) => [
    ['--eval', text],
    [`--eval=${text}`],
    ['-E', text],
    [`-kE${text}`],
  ]),
];

describe('A-147 A-148 P7: what is made is the goal, however it is written', () => {
  test.skipIf(!isThere)(
    'a line that makes it is denied by a deny of the goal, whatever options, numbers and variables say',
    { timeout: 300_000 },
    () => {
      const tried = allIfLong(lines, 60);
      const made = tried.filter(deploys);
      expect(made.length).toBeGreaterThan(tried.length / 6);
      expect(made.filter((args) => !holds(noDeploy, 'make', args))).toEqual([]);
    },
  );

  test.each([
    ...['-j 4', '-l 4', '--jobs 4', '-kj 4', '--load-average .5', '--max-load 1.5', '-l 4x', '-E x'],
    ...['.DEFAULT_GOAL=deploy', '.EXTRA_PREREQS:=deploy', './deploy', './/deploy', '-- ~/deploy', 'V=1'],
  ])('make %s deploy', (line) => {
    expect(holds(noDeploy, 'make', [...line.split(' '), 'deploy'])).toBe(true);
  });

  test.each(['all', '-j 4', '-j 4 all', '-kj4 all V=1', 'CC=gcc -l 2 test', 'build/x.o'])(
    'A-34 make %s is not held back',
    (line) => {
      expect(holds(noDeploy, 'make', line.split(' '))).toBe(false);
    },
  );
});

describe('A-436 P7: what the real make takes for a variable is one for every rule about it', () => {
  const makefile = 'all: ;@printf "%s" "[$(ENV)]"\n';
  const forms = [
    'ENV#prod',
    'ENV # prod',
    ' \tENV#\tprod',
    'ENV#prod ',
    'ENV\n#prod',
    'E V#prod',
    'ENV:#prod',
  ];
  const strange = [
    'ENV#x=prod',
    'a:ENV=prod',
    'ENV=pr ENV+=od',
    'ENV=$(X) X=prod',
    'ENV:::=prod',
    'ENV+x=prod',
  ];
  const words = [
    ...assigned.flatMap((operator) => forms.map((form) => [form.replace('#', operator)])),
    ...strange.map((line) => line.split(' ')),
  ];

  test.skipIf(!isThere)('by any operator, with or without blanks', { timeout: 60_000 }, () => {
    const isProd = (args: readonly string[]) => {
      const { stdout } = spawnSync('make', ['-f', '-', ...args], {
        ...{ cwd: dir, input: makefile, encoding: 'utf8', timeout: 30_000 },
      });
      return /\[\s*prod\s*\]/.test(stdout);
    };
    const set = words.filter(isProd);
    expect(set.length).toBeGreaterThan(20);
    const policies = ['ENV=prod', 'ENV:=prod', 'ENV = prod'].map((item) =>
      oneRule('make', { args: compileArgs(['**', item, '**']) }),
    );
    const open = set.filter((args) => !policies.every((policy) => holds(policy, 'make', args)));
    expect(open).toEqual([]);
  });
});
