import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { goalSuffixes } from '../../src/policy/arguments/goal-words.ts';
import { compileArgs } from '../../src/policy/rules/match-args.ts';
import { sampled } from '../fixtures/sampled.ts';
import { holds, oneRule } from './one-rule.ts';

const isLong = process.env['CLAWRDEN_LONG'] === '1';

const all = mkdtempSync(join(tmpdir(), 'clawrden-built-in-'));
afterAll(() => rmSync(all, { recursive: true }));

const version = spawnSync('make', ['--version'], { encoding: 'utf8' });
const isThere = version.error === undefined && version.stdout.startsWith('GNU Make');

/** Whether the real make, asked for `goal`, runs what a makefile says of `name`. */
function makes(name: string, goal: string): boolean {
  const dir = mkdtempSync(join(all, 'one-'));
  const input = `all: ;@:\n${name}: ;@touch RAN\n`;
  spawnSync('make', ['-f', '-', '--', goal], { cwd: dir, input, stdio: 'pipe', timeout: 30_000 });
  return existsSync(join(dir, 'RAN'));
}

const denying = (name: string) => [
  oneRule('make', { args: compileArgs([name, '**']) }),
  oneRule('make', { args: compileArgs(['**', name, '**']) }, 'ask'),
];

const forms = [
  '#',
  '(#)',
  'x(#)',
  'lib.a(#)',
  'd/x(#)',
  '(#',
  '#)',
  './#',
  'x(#.out)',
  'x(#).out',
  '#.out.out',
  '#.tar',
];
const kept = ['#,v', 'RCS/#,v', 'RCS/#', 's.#', 'SCCS/s.#'];
const names = ['#', ...goalSuffixes.map((end) => `#${end}`)];

const pairs = [...names, ...kept].flatMap((name) =>
  [...names, ...forms].filter((goal) => goal !== name).map((goal) => [name, goal] as const),
);
/** Those of which a rule of make is known. */
const likely = pairs.filter(([name, goal]) => name === '#' || goal === '#');

describe('A-158 P7: what make makes on the way to a goal', () => {
  test.skipIf(!isThere)('the suffixes are those of the real make', () => {
    const said = spawnSync('make', ['-p', '-f', '/dev/null'], { encoding: 'utf8' }).stdout;
    const [, suffixes = ''] = /^SUFFIXES := (.*)$/m.exec(said) ?? [];
    expect(suffixes.split(' ').toSorted()).toEqual(goalSuffixes.toSorted());
  });

  test.skipIf(!isThere)('is denied by a deny of that', { timeout: 300_000 }, () => {
    const tried = isLong ? pairs : [...sampled(likely, 60), ...sampled(pairs, 40)];
    const made = tried
      .map(([name, goal]) => [name.replace('#', 'deploy'), goal.replace('#', 'deploy')] as const)
      .filter(([name, goal]) => makes(name, goal));
    expect(made.length).toBeGreaterThan(tried.length / 20);
    const open = made.filter(
      ([name, goal]) => !denying(name).every((policy) => holds(policy, 'make', ['-k', goal])),
    );
    expect(open).toEqual([]);
  });

  test.each(['x(deploy)', '(deploy)', 'lib.a(deploy)', 'deploy.out', 'all deploy.out', '-j 4 deploy.out'])(
    'make %s is deploy',
    (line) => {
      const [deny, ask] = denying('deploy');
      if (deny === undefined || ask === undefined) throw new Error('no rule');
      if (!line.startsWith('all')) expect(holds(deny, 'make', line.split(' '))).toBe(true);
      expect(holds(ask, 'make', line.split(' '))).toBe(true);
    },
  );

  test('more goals than anybody writes are not understood', () => {
    const [deny] = denying('deploy');
    const goals = (count: number) => Array.from({ length: count }, (_, at) => `g${at}`);
    expect(deny && holds(deny, 'make', goals(50))).toBe(false);
    expect(deny && holds(deny, 'make', goals(51))).toBe(true);
  });

  test.each(['all', 'deployment', 'deploy.txt', 'deploy-all', 'x/deploy', 'build.out', 'test V=(x)'])(
    'A-34 make %s is not held back',
    (line) => {
      expect(denying('deploy').map((policy) => holds(policy, 'make', line.split(' ')))).toEqual([
        false,
        false,
      ]);
    },
  );
});
