import { expect, test } from 'vitest';
import { latestOnly } from './latest-only.ts';

test('one at a time, and of those that came meanwhile only the newest', async () => {
  const applied: number[] = [];
  const gates: (() => void)[] = [];
  const apply = latestOnly(
    async ({ value }: { value: number }) => {
      applied.push(value);
      await new Promise<void>((resolve) => gates.push(resolve));
    },
    (error) => expect.unreachable(String(error)),
  );
  for (const value of [1, 2, 3]) apply({ value });
  expect(applied).toEqual([1]);
  gates.shift()?.();
  await expect.poll(() => applied).toEqual([1, 3]);
  gates.shift()?.();
  await new Promise((resolve) => setImmediate(resolve));
  apply({ value: 4 });
  expect(applied).toEqual([1, 3, 4]);
});

test('P19: a state that cannot be applied is told, and does not keep the next one from being applied', async () => {
  const [applied, failed]: [number[], unknown[]] = [[], []];
  const apply = latestOnly(
    async ({ value }: { value: number }) => {
      if (value === 1) throw new Error('not this one');
      applied.push(value);
    },
    (error) => failed.push(error),
  );
  apply({ value: 1 });
  await expect.poll(() => failed).toHaveLength(1);
  apply({ value: 2 });
  await expect.poll(() => applied).toEqual([2]);
});
