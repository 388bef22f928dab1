import { expect, test } from 'vitest';
import { knownTools } from '../arguments/tools/known-tools.ts';
import { parsePolicy } from '../file/parse-policy.ts';
import type { Policy } from '../policy.ts';
import { decide } from './decide.ts';
import { Effort } from './effort.ts';
import { compileArgs, matchesLine } from './match-args.ts';

const { subcommands } = knownTools.get('kubectl')!;
const { names } = subcommands!.get('get')!.resources!;
/** As many as a line may name. */
const kinds = [...new Set([...names.values()].map(([first = '']) => first))].slice(0, 95);

function policyWith(rules: readonly string[]): Policy {
  const text = `version: 1\ntools: { kubectl: { strategy: mirror } }\nrules:\n${rules.map((rule) => `  - { ${rule} }\n`).join('')}complete: true\n`;
  const result = parsePolicy(text, 'p.yaml');
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  return result.policy;
}

const all = 'name: all, tools: [kubectl], action: allow';
const one = policyWith(['name: no, args: [patch, secrets, x, "**"], action: deny', all]);
const thousand = policyWith([
  ...Array.from(
    { length: 1000 },
    (_, at) => `name: no${at}, args: [patch, secrets, "**", "*n1", "n0*", "**"], action: deny`,
  ),
  all,
]);

/** The least of several turns: what else the machine does counts less. */
function judged(
  policy: Policy,
  made: () => readonly string[],
): { readonly ms: number; readonly reason: string } {
  const turns = Array.from({ length: 5 }, () => {
    const facts = { agent: 'a', tool: 'kubectl', args: made(), uid: 1, gid: 1, cwd: '/app' };
    const since = process.cpuUsage();
    const { action, reason } = decide(policy, facts);
    return { ms: process.cpuUsage(since).user / 1000, reason: `${action}: ${reason}` };
  });
  return turns.reduce((best, turn) => (turn.ms < best.ms ? turn : best));
}

const list = kinds.join();
const long = () => [
  'patch',
  ...Array.from({ length: 8 }, (_, at) => `${list}/${'n'.repeat(119 * 1024)}${at}`),
  '-o',
  'yaml',
];
const short = (count: number) => () => [
  'patch',
  ...Array.from({ length: count }, (_, at) => `${list}/n${at}`),
];
const few = (count: number) => () => [
  'patch',
  ...Array.from({ length: count }, (_, at) => `secrets,pods/n${at}`),
];

test.each([
  ['one rule', one],
  ['a thousand rules', thousand],
] as const)(
  'A-351 P20 %s: long names of many kinds are not understood, and cost what reading them does',
  (_, policy) => {
    const { ms, reason } = judged(policy, long);
    expect(reason).toMatch(/^deny: .*not understood/);
    expect(ms).toBeLessThan(50);
  },
);

test.each([
  ['as many as are understood', short(2)],
  ['one more', short(40)],
  ['a hundred of two kinds', few(100)],
])('A-351 P20 a thousand rules and short names of many kinds, %s: a bounded time', (_, made) => {
  const { ms, reason } = judged(thousand, made);
  expect(reason).toMatch(/^deny: /);
  expect(ms).toBeLessThan(50);
});

test('A-351 P7 behind view-last-applied, too: what names too much may name anything', () => {
  const policy = policyWith(['name: no, args: [get, secrets, x, "**"], action: deny', all]);
  const words = ['apply', 'view-last-applied', `pods/${'n'.repeat(5000)}`, 'secret/x'];
  const of = (args: readonly string[]) =>
    decide(policy, { agent: 'a', tool: 'kubectl', args, uid: 1, gid: 1, cwd: '/app' }).action;
  expect(of(words)).toBe('deny');
  expect(of(['apply', 'view-last-applied', 'pods/n'])).toBe('allow');
});

test('A-351 P20 once the effort of a decision is spent, no spelling of a sub-command is looked at', () => {
  let looks = 0;
  const spelling = new Proxy(['patch', 'secrets'], {
    get(target, key, receiver): unknown {
      if (key === 'reduce') looks += 1;
      return Reflect.get(target, key, receiver);
    },
  });
  const path = { at: [0], spellings: Array.from({ length: 10_000 }, () => spelling) };
  const line = { args: ['patch', 'x'], from: 0, path };
  const effort = new Effort(100);
  const looksOf = () => {
    expect(matchesLine(compileArgs(['patch', 'secrets', 'y']), line, effort)).toBe(undefined);
    return looks;
  };
  expect(looksOf()).toBeLessThan(100);
  expect(looksOf() - looksOf()).toBe(0);
});
