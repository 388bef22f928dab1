import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Change } from '../ports/events.ts';
import { createEventLog } from './event-log.ts';

const numRuns = process.env['CLAWRDEN_LONG'] ? 5_000 : 200;
const change = (name: string): Change => ({ type: 'agent-gone', row: { name } });
const everybody = () => true;

/** All that is kept behind a place. */
function allAfter(log: ReturnType<typeof createEventLog>, place: number) {
  const all = [];
  for (let events = log.after(place); events.length > 0; events = log.after(all.at(-1)?.place ?? place))
    all.push(...events);
  return all;
}

test('P20: whatever is added, what is whole is complete and in order, and nothing grows beyond the bounds', () => {
  const batches = fc.array(fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 20 }), { maxLength: 30 });
  fc.assert(
    fc.property(batches, fc.integer({ min: 1, max: 40 }), fc.nat(200), (all, events, place) => {
      const log = createEventLog({ events, bytes: Number.POSITIVE_INFINITY, ms: 1000 }, () => 0);
      const told: [number, string][] = [];
      for (const names of all) {
        log.add(names.map(change));
        for (const name of names) told.push([told.length + 1, name]);
        expect(allAfter(log, 0).length).toBeLessThanOrEqual(events);
      }
      expect(log.newest()).toBe(told.length);
      for (const only of ['a', 'b', 'c']) {
        const agent = (name: string) => name === only;
        const kept = allAfter(log, place).flatMap(({ place: at, agent: name }) =>
          name === only ? [[at, name]] : [],
        );
        const wanted = told.filter(([at, name]) => at > place && name === only);
        expect([only, log.isWhole(place, agent)]).toEqual([only, kept.length === wanted.length]);
        if (log.isWhole(place, agent)) expect(kept).toEqual(wanted);
      }
    }),
    { numRuns },
  );
});

test('P20: an agent that makes many events takes none from one that makes few', () => {
  const log = createEventLog({ events: 1000, bytes: 100_000_000, ms: 3_600_000 }, () => 0);
  log.add([change('quiet')]);
  for (let at = 0; at < 200; at += 1) log.add(Array.from({ length: 100 }, () => change('loud')));
  log.add([change('quiet')]);
  expect(log.isWhole(0, (name) => name === 'quiet')).toBe(true);
  expect(log.isWhole(0, everybody)).toBe(false);
  expect(allAfter(log, 0).filter(({ agent }) => agent === 'quiet').length).toBe(2);
});

test('P20: many agents with few events each do not make room one by one', () => {
  const log = createEventLog({ events: 20_000, bytes: Number.POSITIVE_INFINITY, ms: 3_600_000 }, () => 0);
  const names = Array.from({ length: 1000 }, (_, at) => `agent-${at}`);
  const before = process.cpuUsage();
  for (let at = 0; at < 60; at += 1) log.add(names.map(change));
  const { user } = process.cpuUsage(before);
  expect(allAfter(log, 0).length).toBeGreaterThan(19_000);
  // One pass for each event that is too many would take a minute.
  expect(user / 1000).toBeLessThan(10_000);
});

test('events are kept for their time and their size', () => {
  let now = 0;
  const log = createEventLog({ events: 1000, bytes: 20_000, ms: 1000 }, () => now);
  log.add([change('a')]);
  now = 900;
  log.add([change('a')]);
  expect(log.isWhole(0, everybody)).toBe(true);
  now = 1100;
  log.add([change('b')]);
  expect([log.isWhole(0, everybody), log.isWhole(1, everybody)]).toEqual([false, true]);
  for (let at = 0; at < 100; at += 1) log.add([change('b')]);
  expect(allAfter(log, 0).length).toBeLessThan(40);
  expect(log.isWhole(log.newest(), everybody)).toBe(true);
});
