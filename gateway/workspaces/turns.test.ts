import { expect, test } from 'vitest';
import { Turns } from './turns.ts';

const never = new AbortController().signal;

test('each has its turn alone, in the order of asking, also if some give up', async () => {
  const turns = new Turns();
  const order: number[] = [];
  let at = 0;
  const one = async (number: number, signal: AbortSignal) => {
    using _ = await turns.take(signal);
    at += 1;
    expect(at).toBe(1);
    order.push(number);
    await new Promise((resolve) => setTimeout(resolve, 1));
    at -= 1;
  };
  const leaving = new AbortController();
  const all = Array.from({ length: 20 }, (_, number) =>
    one(number, number % 3 === 1 ? leaving.signal : never),
  );
  leaving.abort(new Error('gave up'));
  const results = await Promise.allSettled(all);
  expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(7);
  expect(order).toEqual(
    Array.from({ length: 20 }, (_, number) => number).filter((number) => number % 3 !== 1),
  );
});

test('one that gives up while another has its turn does not begin, and hands on only after it', async () => {
  const turns = new Turns();
  const first = await turns.take(never);
  const leaving = new AbortController();
  const second = turns.take(leaving.signal);
  let third = false;
  const last = turns.take(never).then((turn) => {
    third = true;
    return turn;
  });
  leaving.abort(new Error('gave up'));
  await expect(second).rejects.toThrow('gave up');
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(third).toBe(false);
  first[Symbol.dispose]();
  (await last)[Symbol.dispose]();
});
