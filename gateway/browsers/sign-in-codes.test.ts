import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { triesAtMost } from '../connections/wrong-tries.ts';
import type { Checked } from '../ports/authentication.ts';
import type { Principal } from '../ports/principal.ts';
import { createBrowserSessions } from './browser-sessions.ts';
import { codeLifeMs, createSignInCodes } from './sign-in-codes.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const ann: Principal = { kind: 'person', name: 'ann', role: 'operator', scope: {} };
const admission = { check: (): Checked<Principal> => ({ value: ann }) };

function start(record: (record: object) => Promise<void> = async () => {}) {
  const sessions = createBrowserSessions(record);
  const codes = createSignInCodes({ sessions, record });
  let at = 0;
  return {
    sessions,
    codes,
    make: async (by: typeof admission = admission) => {
      const made = await codes.create(by);
      if ('refused' in made) throw new Error(made.refused);
      return made.value.code;
    },
    /** Each from an address of its own. */
    use: (code: string, from = `10.0.${(at += 1) >> 8}.${at & 255}`) => codes.redeem(code, from),
  };
}

const isIn = (redeemed: object) => 'value' in redeemed;

test('A-123: a code works once, also if several use it at once', async () => {
  const { make, use } = start();
  const code = await make();
  const told = await Promise.all(Array.from({ length: 20 }, () => use(code)));
  expect(told.filter(isIn).length).toBe(1);
  expect(isIn(await use(code))).toBe(false);
});

test('A-123: a code works for a minute', async () => {
  const { make, use } = start();
  const [early, late, set] = [await make(), await make(), await make()];
  vi.advanceTimersByTime(codeLifeMs - 1);
  expect(isIn(await use(early))).toBe(true);
  vi.advanceTimersByTime(1);
  expect(isIn(await use(late))).toBe(false);
  // Nor does a wall clock that is set back bring it back.
  vi.setSystemTime(Date.now() - 10 * codeLifeMs);
  expect(isIn(await use(set))).toBe(false);
});

test('A-123: a code of a person who was put out meanwhile lets nobody in', async () => {
  const { make, use } = start();
  let isOut = false;
  const code = await make({ check: () => (isOut ? { refused: 'put out' } : { value: ann }) });
  isOut = true;
  expect(await use(code)).toEqual({ refused: 'put out', waitMs: 0 });
  isOut = false;
  expect(isIn(await use(code))).toBe(false);
});

test('A-123 P20: a source has ten wrong codes a minute; others go on, and so does it a minute later', async () => {
  const { make, use } = start();
  const [first, second] = [await make(), await make()];
  const told = await Promise.all(Array.from({ length: 25 }, (_, at) => use(`wrong-${at}`, '10.9.9.9')));
  expect(told.filter((each) => 'refused' in each && each.waitMs === 0).length).toBe(triesAtMost);
  expect(isIn(await use(first, '10.9.9.9'))).toBe(false);
  expect(isIn(await use(first, '10.9.9.8'))).toBe(true);
  vi.advanceTimersByTime(codeLifeMs - 1);
  expect(isIn(await use(second, '10.9.9.9'))).toBe(false);
  vi.advanceTimersByTime(2);
  expect(isIn(await use(await make(), '10.9.9.9'))).toBe(true);
});

test('P20: one person has five codes open, and makes them at a rate', async () => {
  const { make, use } = start();
  const codes = [];
  for (let at = 0; at < 6; at += 1) codes.push(await make());
  const told = [];
  for (const code of codes) told.push(isIn(await use(code)));
  expect(told).toEqual([false, true, true, true, true, true]);
  for (let at = 0; at < 4; at += 1) await make();
  await expect(make()).rejects.toThrow('too often');
});

test('P25: a code and its session are recorded before they count, without what lets in', async () => {
  const records: { credential?: string; id?: string; by?: string }[] = [];
  const { make, use } = start(async (record) => void records.push(record));
  const code = await make();
  const used = await use(code);
  expect(records.map(({ credential }) => credential)).toEqual(['sign-in-code', 'browser-session']);
  expect(records[1]?.by).toBe(`code:${records[0]?.id}`);
  const text = JSON.stringify(records);
  expect(text).not.toContain(code);
  if ('value' in used) expect(text).not.toContain(used.value.id);
  const full = start(() => Promise.reject(new Error('full')));
  await expect(full.make()).rejects.toThrow('full');
});
