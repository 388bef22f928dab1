import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Plan } from '../../../src/plan.ts';
import { planLines } from '../../../src/text/describe-plan.ts';
import { firstWords, shortPlan } from './short-plan.ts';

const plan: Plan = {
  ...{ agent: 'coder', argv: ['x'], env: [], cwd: '/app', workspace: '', uid: 1, gid: 1, umask: 18 },
  ...{ strategy: 'mirror', mounts: [], network: 'none', stdin: 'none', timeoutMs: 0, idleTimeoutMs: 0 },
  limits: { memoryBytes: 0, cpus: 0, pids: 0, outputBytes: 0, fileBytes: 0 },
  policyHash: 'p',
};

const most = 3000;
const lineOf = (one: Plan) =>
  planLines(JSON.stringify(one))
    .map(({ name, text, notes }) => [name.padEnd(11), text, ...notes].join(' '))
    .join('\n');
const word = fc.tuple(fc.constantFrom('', 'a', '\u0001', '\u202e', 'ä'), fc.nat(5000));
const words = fc.array(word, { maxLength: 40 }).map((all) => all.map(([text, count]) => text.repeat(count)));

test('A-213 P20 of a plan as large as it can be no more is made readable than a message has', () => {
  const large = ['\u0001'.repeat(130_000), ...Array<string>(30_000).fill('\u0001'.repeat(25))];
  const { shown, left } = shortPlan({ ...plan, argv: large, env: large }, most);
  expect(shown.argv.join(' ').length + shown.env.join(' ').length).toBeLessThanOrEqual(most + 1);
  expect(left).toBeGreaterThan(800_000);
  expect(firstWords(Array<string>(30_000).fill(''), 100).shown.length).toBeLessThanOrEqual(101);
});

test('A-213 and the message is as it would be with the whole plan, or says that it is cut', () => {
  fc.assert(
    fc.property(words, words, (argv, env) => {
      const whole = { ...plan, argv: ['x', ...argv], env };
      const { shown, left } = shortPlan(whole, most);
      expect(lineOf(shown).slice(0, most)).toBe(lineOf(whole).slice(0, most));
      if (left === 0) expect(lineOf(shown)).toBe(lineOf(whole));
      else expect(lineOf(whole).length).toBeGreaterThan(most);
    }),
  );
});
