import { expect, test } from 'vitest';
import { createCrumbBudgets, messagesPerSecond } from './crumb-budgets.ts';
import { keyedBuckets } from './keyed-buckets.ts';
import { tokenBucket } from './token-bucket.ts';

test('A-420 P20: inventing keys takes nothing off what a key owes, and few keys are remembered', () => {
  const made: string[] = [];
  let asked = '';
  const bucketOf = keyedBuckets(100, () => {
    made.push(asked);
    return tokenBucket(10, () => 0);
  });
  const ask = (key: string) => {
    asked = key;
    return bucketOf(key);
  };
  ask('debtor').owe(1000);
  const wait = ask('debtor').waitMs();
  for (let key = 0; key < 5000; key += 1) ask(`invented ${key}`);
  expect(ask('debtor').waitMs()).toBe(wait);
  // The first ones were forgotten: they owed nothing.
  ask('invented 0');
  expect(made.filter((key) => key === 'invented 0')).toHaveLength(2);
  // If all owe something, the oldest one goes.
  for (let key = 0; key < 200; key += 1) ask(`late ${key}`).owe(1);
  ask('debtor');
  expect(made.filter((key) => key === 'debtor')).toHaveLength(2);
});

test('A-420 P20: two streams of one agent have one budget, whatever names came between them', () => {
  const budgetOf = createCrumbBudgets(10, () => 0);
  const first = budgetOf('relay:host-7 coder');
  for (let name = 0; name < 50; name += 1) budgetOf(`relay:host-7 invented-${name}`)(0);
  const second = budgetOf('relay:host-7 coder');
  expect(second(2 * messagesPerSecond)).toBeGreaterThan(0);
  expect(first(1)).toBeGreaterThan(0);
});
