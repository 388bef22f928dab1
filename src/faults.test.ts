import { expect, test } from 'vitest';
import { createFaults } from './faults.ts';

function setup() {
  const logged: object[] = [];
  return { logged, faults: createFaults({ error: (entry: object) => void logged.push(entry) }) };
}

test('A-84: what a listener throws or rejects with is counted, told, and ends what it was about', async () => {
  const { logged, faults } = setup();
  const ended: string[] = [];
  const listeners: ((peer: string) => unknown)[] = [
    () => {
      throw new Error('thrown');
    },
    () => Promise.reject(new Error('rejected')),
  ];
  for (const run of listeners) faults.guard('here', run, (peer) => void ended.push(peer))('a peer');
  await Promise.resolve();
  await Promise.resolve();
  expect(ended).toEqual(['a peer', 'a peer']);
  expect(faults.count()).toBe(2);
  expect(logged).toMatchObject([
    { where: 'here', faults: 1, error: expect.stringContaining('thrown') },
    { where: 'here', faults: 2, error: expect.stringContaining('rejected') },
  ]);
});

test('what does not fail is let be, and a failing end is a fault of its own', () => {
  const { faults } = setup();
  const seen: number[] = [];
  faults.guard('fine', (value: number) => seen.push(value))(7);
  expect([seen, faults.count()]).toEqual([[7], 0]);
  const fail = () => {
    throw new Error('no');
  };
  faults.guard('twice', fail, fail)();
  expect(faults.count()).toBe(2);
});
