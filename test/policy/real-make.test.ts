import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { scriptOperands } from '../../src/policy/arguments/script-operands.ts';
import { parsePolicy } from '../../src/policy/file/parse-policy.ts';
import { decide } from '../../src/policy/rules/decide.ts';

const isLong = process.env['CLAWRDEN_LONG'] === '1';
const dir = mkdtempSync(join(tmpdir(), 'clawrden-make-'));
const ran = join(dir, 'RAN');
writeFileSync(join(dir, 'Makefile'), 'all:\n\t@echo all\n');
writeFileSync(join(dir, 'other.mk'), '$(shell touch RAN)\n');
afterAll(() => rmSync(dir, { recursive: true }));

const policyOf = (action: string) => {
  const result = parsePolicy(
    `version: 1
tools: { make: { strategy: mirror }, nice: { strategy: mirror } }
rules:
  - { name: all, tools: [make, nice], action: allow }
  - { name: options, tools: [make], flags: [-f, --eval, -n], action: ${action} }
  - { name: looks, tools: [make], safe-arguments: true, action: allow }
complete: true
`,
    'p.yaml',
  );
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  return result.policy;
};
const policies = ['deny', 'ask'].map(policyOf);

const decided = (args: readonly string[], tool = 'make') =>
  policies.map((policy) => decide(policy, { agent: 'a', tool, args, uid: 1000, gid: 1000, cwd: '/app' }));

const names = [
  ...['MAKEFLAGS', 'GNUMAKEFLAGS', ' MAKEFLAGS', 'MAKEFILES', 'MAKE$(NOTHING)FLAGS', '$(shell touch RAN)'],
  ...['X', 'CC', '.SHELLFLAGS', 'X-MAKEFLAGS'],
];
const operators = ['=', ':=', '::=', '+=', '?=', '!=', ' = ', ' := '];
const values = [
  'n',
  '-n',
  'i j4 n',
  '--eval=$(shell touch RAN)',
  'other.mk',
  'touch RAN',
  '$(shell touch RAN)',
];
const operands = names.flatMap((name) =>
  operators.flatMap((operator) => values.map((value) => `${name}${operator}${value}`)),
);
const lines = operands.flatMap((word) => [[word], ['--', word], ['all', word], ['--version', word]]);

// `NAME!=command` on the command line is run by the shell that SHELL names, and by no shell if it is not set.
const env = { ...process.env, SHELL: '/bin/sh' };

/** Whether make took an option, or evaluated text, that is nowhere on the line as an option. */
function takes(args: readonly string[]): boolean {
  rmSync(ran, { force: true });
  const { stdout } = spawnSync('make', args, { cwd: dir, env, encoding: 'utf8', timeout: 5000 });
  return existsSync(ran) || stdout.includes('echo all');
}

const version = spawnSync('make', ['--version'], { encoding: 'utf8' });
const isThere = version.error === undefined && version.stdout.startsWith('GNU Make');

describe('A-74 P7: an operand of make that sets options', () => {
  test.skipIf(!isThere)(
    'holds back the line by every strict rule, if make takes one',
    { timeout: 120_000 },
    () => {
      const some = lines.filter((_, index) => isLong || index % 19 === 0);
      const taken = some.filter(takes);
      expect(taken.length).toBeGreaterThan(some.length / 4);
      const open = taken.filter((args) => decided(args).some(({ action }) => action === 'allow'));
      expect(open).toEqual([]);
      expect(decided(['all', 'CC=gcc']).map(({ action }) => action)).toEqual(['allow', 'allow']);
      expect(takes(['all', 'CC=gcc'])).toBe(false);
    },
  );

  test.each(['MAKEFLAGS=n', 'GNUMAKEFLAGS+=--eval=x', 'MAKEFILES=x.mk', 'X!=touch y', 'X:=$(eval all:;)'])(
    '%s is named, not inspected, and never safe',
    (word) => {
      for (const args of [[word], ['--', word], ['all', '-j4', word], ['--version', word]]) {
        const [denied, asked] = decided(args);
        expect(denied).toMatchObject({ action: 'deny', rule: 'options' });
        expect(denied?.reason).toContain('it is not understood what make makes of');
        expect(asked).toMatchObject({ action: 'ask', rule: 'options' });
        expect(decided(['-n', '5', 'make', ...args], 'nice').map(({ action }) => action)).not.toContain(
          'allow',
        );
        expect(scriptOperands(['make', ...args])).toEqual([
          { notInspected: 'what these arguments of make may run' },
        ]);
      }
    },
  );

  test.each(['all', 'CC=gcc', 'V=1 -j4', 'PREFIX=/usr install', 'CFLAGS=-O2 -- test', '--version'])(
    'A-34 make %s is not held back',
    (line) => {
      expect(decided(line.split(' ')).map(({ action }) => action)).toEqual(['allow', 'allow']);
    },
  );

  test('make --version is inspected', () => {
    expect(decided(['--version']).map(({ action }) => action)).toEqual(['allow', 'allow']);
  });
});
