import { expect, test } from 'vitest';
import { Demand } from './demand.ts';

test('the busiest second of the last two minutes counts, and is forgotten after', () => {
  const demand = new Demand();
  expect(demand.peak(0)).toBe(0);
  for (const at of [1000, 1400, 1999, 2000, 61_000]) demand.arrived(at);
  expect(demand.peak(61_000)).toBe(3);
  expect(demand.peak(120_999)).toBe(3);
  expect(demand.peak(121_000)).toBe(1);
  expect(demand.peak(181_000)).toBe(0);
});

test('an hour of steady use is remembered in little', () => {
  const demand = new Demand();
  for (let at = 0; at < 3_600_000; at += 250) demand.arrived(at);
  expect(demand.peak(3_600_000)).toBe(4);
});
