import { expect, test } from 'vitest';
import { renewable } from './renewable.ts';

function counting(fail: (call: number) => boolean = () => false) {
  const calls: boolean[] = [];
  const value = renewable(async (again) => {
    calls.push(again);
    const call = calls.length;
    await new Promise((resolve) => setTimeout(resolve, 5));
    if (fail(call)) throw new Error(`call ${call}`);
    return { call };
  });
  return { calls, value };
}

test('all who ask share one making', async () => {
  const { calls, value } = counting();
  const [a, b] = await Promise.all([value.get(), value.get()]);
  expect(a).toBe(b);
  expect(await value.get()).toBe(a);
  expect(calls).toEqual([false]);
});

test('a failure is not kept', async () => {
  const { calls, value } = counting((call) => call === 1);
  await expect(value.get()).rejects.toThrow('call 1');
  expect((await value.get()).call).toBe(2);
  expect(calls).toEqual([false, false]);
});

test('many who find it stale renew it once', async () => {
  const { calls, value } = counting();
  const stale = await value.get();
  const renewed = await Promise.all([value.renew(stale), value.renew(stale), value.renew(stale)]);
  expect(new Set(renewed.map(({ call }) => call))).toEqual(new Set([2]));
  expect((await value.renew(stale)).call).toBe(2);
  expect(calls).toEqual([false, true]);
});

test('what is forgotten is made anew', async () => {
  const { value } = counting();
  await value.get();
  value.forget();
  expect((await value.get()).call).toBe(2);
});
