import { expect, test } from 'vitest';
import { Replicas } from './replicas.ts';
import { Stay } from './stay.ts';

test('12: a command that has ended begins no work, and is counted once', () => {
  const slot = new Replicas().slot('build-1', { agent: 'a', home: 'h' });
  const stay = new Stay(slot);
  stay.wait();
  stay.wait();
  expect([stay.work(), stay.work()]).toEqual([true, false]);
  const other = new Stay(slot);
  other.wait();
  expect(other.work()).toBe(false);
  expect(slot).toMatchObject({ commands: 2, working: 2 });
  other.end();
  stay.end();
  expect(() => stay.work()).toThrow('ended');
  expect(slot).toMatchObject({ commands: 0, working: 0 });
});

test('A-333: what a command left in a session works on, so nothing is late until the session is gone', async () => {
  const slot = new Replicas().slot('build-1', { agent: 'a', home: 'h' });
  const { promise: gone, resolve } = Promise.withResolvers<void>();
  const session = { gone };
  for (let times = 0; times < 2; times++) {
    const stay = new Stay(slot);
    stay.wait();
    expect(stay.work()).toBe(times === 0);
    stay.leaveIn(session, () => {});
    stay.end();
  }
  expect([slot.working, slot.holders.size]).toEqual([0, 1]);
  resolve();
  await gone;
  const next = new Stay(slot);
  next.wait();
  expect([slot.holders.size, next.work()]).toEqual([0, true]);
});
