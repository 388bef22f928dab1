import { expect, test } from 'vitest';
import { Replicas } from './replicas.ts';
import { Stay } from './stay.ts';

test('12: a command that has ended begins no work, and is counted once', () => {
  const slot = new Replicas().slot('build-1', 'a');
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
