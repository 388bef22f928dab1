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

test('A-105: what a carrier says counts for its agent, what the gateway measures for all; a person lifts both', () => {
  const out = new LeftOut();
  out.blamed(pair, broken());
  expect([out.why(pair) === undefined, out.why({ agent: 'b', host: 'h' })]).toEqual([false, undefined]);
  out.heldUp(pair);
  expect(out.why({ agent: 'b', host: 'h' })).toContain('held up');
  expect(out.problem('h')).toContain('1 more');
  out.forget('h');
  expect([out.why(pair), out.problem('h')]).toEqual([undefined, '']);
});

test.each([
  ['home, of its own', new CarrierError('bad-answer', 'x', { role: 'home', isOver: true })],
  ['a replica that ended', new CarrierError('carrier-lost', 'x', { role: 'replica', isOver: true })],
  ['a disk that is full', new CarrierError('workspace-full', 'x', { role: 'replica' })],
])('a fault of %s is not one against the rules', (_what, error) => {
  expect(new LeftOut().blamed(pair, error)).toBe(error);
});
