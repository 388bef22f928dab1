import { expect, test } from 'vitest';
import { StartGate } from './start-gate.ts';

const never = new AbortController().signal;
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('no more than the limit are in at once, and they come in one after the other', async () => {
  const gate = new StartGate(() => 2);
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
  const gate = new StartGate(() => 1);
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
  const gate = new StartGate(() => 1);
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
  const gate = new StartGate(() => limit);
  await gate.enter(never);
  const more = [gate.enter(never), gate.enter(never)];
  limit = 3;
  gate.open();
  await Promise.all(more);
});

test('who is let in and gives up in the same moment costs nobody else the place', async () => {
  const gate = new StartGate(() => 1);
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
