import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Underway } from '../ports/detached.ts';
import { lookOn } from './look-on.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const silent: Underway = {
  ...{ question: () => undefined, wasStarted: () => true, kept: () => 0 },
  ...{ behind: () => Buffer.alloc(0), watch: () => {}, ended: new Promise(() => {}) },
};
const pace = { progressMs: 1, heartbeatMs: 20, waitMs: 500, pollMs: 2000 };

test.each([
  ['back', -600_000],
  ['back by a month', -31 * 86_400_000],
  ['ahead', 600_000],
] as const)(
  'A-542 P26: of a silent command its client hears at each heartbeat, also if the wall clock is set %s',
  async (_way, jump) => {
    const told: string[] = [];
    const { signal } = new AbortController();
    const tell = async (message: string) => void told.push(message);
    const over = lookOn(silent, { pace, waitMs: pace.waitMs, signal, tell, endsAtQuestion: false });
    vi.setSystemTime(Date.now() + jump);
    expect(await over).toBeUndefined();
    expect(told.length).toBeGreaterThan(1);
    expect(told.length).toBeLessThanOrEqual(pace.waitMs / pace.heartbeatMs);
    for (const message of told) expect(message).toMatch(/^running \([0-9] s\)$/);
  },
);
