import { expect, test } from 'vitest';
import { Gate } from './gate.ts';

const never = new AbortController().signal;
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('no more than the limit are in at once, and they come in one after the other', async () => {
  const gate = new Gate(() => 2);
  const inside: number[] = [];
  let most = 0;
  const all = Array.from({ length: 8 }, async (_, number) => {
    await gate.enter(never);
    inside.push(number);
    most = Math.max(most, inside.length);
    await turn();
    inside.splice(inside.indexOf(number), 1);
    gate.leave();
    return number;
  });
  expect(gate.load).toBe(8);
  await Promise.all(all);
  expect(most).toBe(2);
  expect(gate.load).toBe(0);
});

test('what can wait never goes before those who do', async () => {
  const gate = new Gate(() => 1);
  await gate.enter(never);
  const second = gate.enter(never);
  expect(gate.tryEnter()).toBe(false);
  gate.leave();
  await second;
  expect(gate.tryEnter()).toBe(false);
  gate.leave();
  expect(gate.tryEnter()).toBe(true);
});

test('who gives up leaves the line, and nobody is forgotten', async () => {
  const gate = new Gate(() => 1);
  await gate.enter(never);
  const abort = new AbortController();
  const gone = gate.enter(abort.signal);
  const stays = gate.enter(never);
  abort.abort(new Error('no more'));
  await expect(gone).rejects.toThrow('no more');
  await expect(gate.enter(abort.signal)).rejects.toThrow('no more');
  gate.leave();
  await stays;
  gate.leave();
  expect(gate.load).toBe(0);
});

test('a limit that grows lets more in at once', async () => {
  let limit = 1;
  const gate = new Gate(() => limit);
  await gate.enter(never);
  const more = [gate.enter(never), gate.enter(never)];
  limit = 3;
  gate.open();
  await Promise.all(more);
});

test('who is let in and gives up in the same moment costs nobody else the place', async () => {
  const gate = new Gate(() => 1);
  await gate.enter(never);
  const leaving = new AbortController();
  const second = gate.enter(leaving.signal);
  const third = gate.enter(never);
  gate.leave();
  leaving.abort(new Error('gone'));
  await second;
  gate.leave();
  await third;
  expect(gate.load).toBe(1);
});

test('each has its turn alone, in the order of asking, also if some give up', async () => {
  const gate = new Gate(() => 1);
  const order: number[] = [];
  let at = 0;
  const one = (number: number, signal: AbortSignal) =>
    gate.through(signal, async () => {
      at += 1;
      expect(at).toBe(1);
      order.push(number);
      await new Promise((resolve) => setTimeout(resolve, 1));
      at -= 1;
    });
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
  const gate = new Gate(() => 1);
  await gate.enter(never);
  const leaving = new AbortController();
  const second = gate.enter(leaving.signal);
  let third = false;
  const last = gate.enter(never).then(() => {
    third = true;
  });
  leaving.abort(new Error('gave up'));
  await expect(second).rejects.toThrow('gave up');
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(third).toBe(false);
  gate.leave();
  await last;
  gate.leave();
});

test('one whose signal aborts as it is let in does no work, and hands on', async () => {
  const gate = new Gate(() => 1);
  await gate.enter(never);
  const leaving = new AbortController();
  const second = gate.through(leaving.signal, () => Promise.reject(new Error('it worked')));
  gate.leave();
  leaving.abort(new Error('gave up'));
  await expect(second).rejects.toThrow('gave up');
  expect(gate.tryEnter()).toBe(true);
});
