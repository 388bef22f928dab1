import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CarrierError } from '../../src/carrier-client/carrier-error.ts';
import { ReplicaUnreachable } from './faults.ts';
import { LeftOut } from './left-out.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

const pair = { agent: 'a', host: 'h' };
const broken = () => new CarrierError('bad-entry', 'a path twice', { role: 'home' });

test('A-105: half a minute first, twice as long each time, ten minutes at most; who behaved that long begins anew', () => {
  const told: string[] = [];
  const out = new LeftOut(({ text }) => told.push(text));
  for (let times = 0; times < 7; times++) {
    expect(out.blamed(pair, broken())).toBeInstanceOf(ReplicaUnreachable);
    const until = [30, 60, 120, 240, 480, 600, 600][times] ?? 0;
    vi.advanceTimersByTime(until * 1000 - 1);
    expect(out.why(pair)).toContain(`for ${until} s`);
    // What was on its way does not count again.
    out.blamed(pair, broken());
    vi.advanceTimersByTime(1);
    expect(out.why(pair)).toBeUndefined();
  }
  expect(told).toHaveLength(7);
  vi.advanceTimersByTime(601_000);
  out.blamed(pair, broken());
  expect(out.why(pair)).toContain('for 30 s');
});

test('A-105, A-339: what a carrier says counts for its agent, and so does what one agent’s replica held up; a person lifts both', () => {
  const out = new LeftOut();
  out.blamed(pair, broken());
  out.heldUp({ agent: 'b', host: 'h' });
  expect(out.why(pair)).toContain('broke the rules');
  expect(out.why({ agent: 'b', host: 'h' })).toContain('held up');
  expect(out.why({ agent: 'c', host: 'h' })).toBeUndefined();
  expect(out.problem('h')).toContain('1 more');
  out.forget('h');
  expect([out.why(pair), out.problem('h')]).toEqual([undefined, '']);
});

test('A-339: a host that held up two agents within the time is left out for all, however often one alone said it', () => {
  const told: string[] = [];
  const out = new LeftOut(({ text }) => told.push(text));
  const other = { agent: 'b', host: 'h' };
  const third = { agent: 'c', host: 'h' };
  for (const each of [pair, pair]) out.heldUp(each);
  expect(out.why(third)).toBeUndefined();
  vi.advanceTimersByTime(30_000);
  out.heldUp(other);
  expect([out.why(pair), out.why(third)]).toEqual([undefined, undefined]);
  expect(out.heldUp(pair)).toContain('followed agents use others for 30 s');
  expect(out.why(third)).toBe(out.problem('h'));
  expect(out.why({ agent: 'c', host: 'other' })).toBeUndefined();
  expect(told).toHaveLength(4);
});

test.each([
  ['home, of its own', new CarrierError('bad-answer', 'x', { role: 'home', isOver: true })],
  ['a replica that ended', new CarrierError('carrier-lost', 'x', { role: 'replica', isOver: true })],
  ['a disk that is full', new CarrierError('workspace-full', 'x', { role: 'replica' })],
])('a fault of %s is not one against the rules', (_what, error) => {
  expect(new LeftOut().blamed(pair, error)).toBe(error);
});
