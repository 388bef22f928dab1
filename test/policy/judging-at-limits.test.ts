import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CommandFacts } from '../../src/policy/policy.ts';
import { decide } from '../../src/policy/rules/decide.ts';
import { limitCommands, limitFacts, limitPolicy, limitRules } from './limit-commands.ts';

const isLong = process.env['CLAWRDEN_LONG'] === '1';
const turns = 3;

/**
 * Milliseconds, the least of several turns: other work of the machine shall not count. The thread's own clock is too
 * coarse.
 */
function costOf<T>(prepare: () => T, act: (given: T) => unknown): number {
  const costs = Array.from({ length: turns }, () => {
    const given = prepare();
    const since = performance.now();
    act(given);
    return performance.now() - since;
  });
  return Math.min(...costs);
}

/** Reads every byte once, and every word: the least work that a command can cost. */
function lookOnce({ args }: CommandFacts): void {
  const hash = createHash('sha256');
  for (const arg of args) hash.update(arg);
  hash.digest();
}

test('A-76 P20 a thousand rules of any kind judge a command at its limits as fast as a few passes over it', {
  timeout: 600_000,
}, () => {
  const kinds = fc.subarray(Object.keys(limitRules), { minLength: 1 });
  const actions = fc.constantFrom('deny', 'ask', 'allow');
  fc.assert(
    fc.property(kinds, actions, (said, action) => {
      const policy = limitPolicy(said, action);
      const once = costOf(() => limitFacts('many words'), lookOnce);
      const slow = Object.keys(limitCommands).filter((name) => {
        const judged = costOf(
          () => limitFacts(name),
          (facts) => decide(policy, facts),
        );
        // For compiling, indexing and a busy machine: before the index it took hundreds of times as long.
        return judged > 20 * once + 20;
      });
      expect(slow).toEqual([]);
    }),
    { numRuns: isLong ? 100 : 3 },
  );
});

test('A-433 P20 a thousand rules that may have a word about what is asked anyway are held against it as fast', () => {
  const policy = limitPolicy(Object.keys(limitRules), 'ask, rate: 5/m, timeout: 1m', 'ask');
  const once = costOf(() => limitFacts('many words'), lookOnce);
  const slow = Object.keys(limitCommands).filter((name) => {
    const judged = costOf(
      () => limitFacts(name),
      (facts) => decide(policy, facts),
    );
    return judged > 20 * once + 20;
  });
  expect(slow).toEqual([]);
});

test('A-359 P20 a thousand rules that allow by a flag judge a line of many options as fast', () => {
  const policy = limitPolicy(['flags that are given'], 'allow');
  const once = costOf(() => limitFacts('many words'), lookOnce);
  const judged = costOf(
    () => limitFacts('many switches of a known tool'),
    (facts) => decide(policy, facts),
  );
  expect(decide(policy, limitFacts('many switches of a known tool')).rule).toBe('r0');
  expect(judged).toBeLessThan(20 * once + 20);
});

test('A-399 P20 a thousand rules about what stands around a first word search a line of long words as fast', () => {
  const policy = limitPolicy(['first words with anything around'], 'deny');
  const line = 'long words before a sub-command, with an option that is not known';
  const once = costOf(() => limitFacts('many words'), lookOnce);
  const judged = costOf(
    () => limitFacts(line),
    (facts) => decide(policy, facts),
  );
  expect(decide(policy, limitFacts(line)).action).toBe('deny');
  expect(judged).toBeLessThan(20 * once + 20);
});

test.each([
  ['deny', 'first words', 'numbers before a sub-command, with an option that is not known'],
  [
    'deny',
    'first words with anything around',
    'numbers before a sub-command, with an option that is not known',
  ],
  ['deny', 'values of an option', 'many values of a known tool'],
  ['allow', 'flags that node reads again', 'many options that node reads again, of a known tool'],
])(
  'A-400 P20 what a rule costs of a long line is bounded for all rules: %s, %s, %s',
  (action, kind, line) => {
    const policy = limitPolicy([kind], action);
    const once = costOf(() => limitFacts('many words'), lookOnce);
    const judged = costOf(
      () => limitFacts(line),
      (facts) => decide(policy, facts),
    );
    expect(decide(policy, limitFacts(line)).action).toBe(action);
    expect(judged).toBeLessThan(20 * once + 20);
  },
);

const tooLong = 'all of the words that rules are about, in another order';
const short = (...args: string[]) => ({ ...limitFacts(tooLong), args });

test('A-76 P7 what takes too long to tell is refused by a rule that denies', () => {
  const policy = limitPolicy(['last words'], 'deny');
  const why = 'the arguments are too many to be held against it';
  const reason = expect.stringContaining(why);
  expect(decide(policy, limitFacts(tooLong))).toMatchObject({ action: 'deny', rule: 'r0', reason });
  expect(decide(policy, short('b', 'a', 'a'))).toMatchObject({ action: 'allow' });
  expect(decide(policy, short('a', 'a', 'b'))).toMatchObject({
    action: 'deny',
    reason: expect.not.stringContaining(why),
  });
});

test.each(['ask', 'allow'])(
  'A-76 P7 what takes too long to tell is refused if a rule that says %s may have a tighter limit',
  (action) => {
    const policy = limitPolicy(['last words'], action);
    expect(decide(policy, limitFacts(tooLong))).toMatchObject({ action: 'deny', code: 'too-large' });
    expect(decide(policy, short('b', 'a', 'a'))).toMatchObject({ action: 'allow', rule: 'all' });
    expect(decide(policy, short('a', 'a', 'b'))).toMatchObject({ action, rule: 'r0' });
  },
);
