import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Checked } from '../ports/authentication.ts';
import type { Principal } from '../ports/principal.ts';
import { createBrowserSessions, sessionLimits } from './browser-sessions.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const ann: Principal = { kind: 'person', name: 'ann', role: 'operator', scope: {} };
const noRecord = async () => {};

/** A person who may be put out. */
function person(value: Principal = ann) {
  let isOut = false;
  const check = (): Checked<Principal> => (isOut ? { refused: 'put out' } : { value });
  return { admission: { value, check }, put: (out: boolean) => void (isOut = out) };
}

const wanted = (of = person()) => ({ admission: of.admission, by: 'code:1', from: '127.0.0.1' });
const isOpen = (found: object) => !('refused' in found);

test('P17: an id is 43 characters that nobody had before, and only it finds its session', async () => {
  const sessions = createBrowserSessions(noRecord);
  const opened = await Promise.all(Array.from({ length: 5 }, () => sessions.open(wanted())));
  const ids = opened.map(({ id }) => id);
  expect(new Set(ids).size).toBe(5);
  for (const id of ids) {
    expect(id).toMatch(/^[\w-]{43}$/);
    expect(sessions.find(id)).toMatchObject({ value: ann });
    for (const wrong of [id.slice(1), `${id}A`, id.toLowerCase(), ''])
      expect(isOpen(sessions.find(wrong))).toBe(false);
  }
});

test('P6: a session ends an hour after its last use, and twelve hours after it was opened', async () => {
  const sessions = createBrowserSessions(noRecord);
  const [{ id: used }, { id: left }, streamed] = [
    await sessions.open(wanted()),
    await sessions.open(wanted()),
    await sessions.open(wanted()),
  ];
  const { idleMs, mostMs } = sessionLimits;
  for (let ms = 0; ms < mostMs - idleMs; ms += idleMs / 2) {
    vi.advanceTimersByTime(idleMs / 2);
    expect([ms, isOpen(sessions.find(used)), isOpen(streamed.session.check())]).toEqual([ms, true, true]);
    // To look after all sessions is no use of one.
    sessions.tidy();
  }
  expect(isOpen(sessions.find(left))).toBe(false);
  vi.advanceTimersByTime(idleMs / 2);
  expect([isOpen(sessions.find(used)), isOpen(streamed.session.check())]).toEqual([true, true]);
  vi.advanceTimersByTime(idleMs / 2);
  expect([isOpen(sessions.find(used)), isOpen(streamed.session.check())]).toEqual([false, false]);
});

test('P26: a wall clock that is set ends nothing that is open, and lets nobody in for longer', async () => {
  const sessions = createBrowserSessions(noRecord);
  const { id, session } = await sessions.open(wanted());
  vi.setSystemTime(Date.now() + sessionLimits.mostMs);
  expect(isOpen(session.check())).toBe(true);
  expect(isOpen(sessions.find(id))).toBe(false);
  const other = await sessions.open(wanted());
  vi.setSystemTime(Date.now() - sessionLimits.mostMs);
  vi.advanceTimersByTime(sessionLimits.idleMs + 1);
  expect(isOpen(sessions.find(other.id))).toBe(false);
});

test('P6: a session ends with its person, for good; logged out it ends at once', async () => {
  const sessions = createBrowserSessions(noRecord);
  const [one, other] = [person(), person()];
  const [first, second] = [await sessions.open(wanted(one)), await sessions.open(wanted(other))];
  one.put(true);
  expect(first.session.check()).toEqual({ refused: 'put out' });
  one.put(false);
  expect(isOpen(sessions.find(first.id))).toBe(false);
  expect(isOpen(sessions.find(second.id))).toBe(true);
  other.put(true);
  sessions.tidy();
  other.put(false);
  expect(isOpen(sessions.find(second.id))).toBe(false);
  const third = await sessions.open(wanted());
  sessions.close(third.id);
  expect([isOpen(sessions.find(third.id)), isOpen(third.session.check())]).toEqual([false, false]);
});

test("P20: of one principal's sessions the oldest gives way, and of nobody else's", async () => {
  const sessions = createBrowserSessions(noRecord);
  const bob = await sessions.open(wanted(person({ ...ann, name: 'bob' })));
  const own = [];
  for (let at = 0; at <= sessionLimits.perPrincipal; at += 1) own.push(await sessions.open(wanted()));
  expect(own.map(({ id }) => isOpen(sessions.find(id)))).toEqual(own.map((_, at) => at > 0));
  expect(isOpen(sessions.find(bob.id))).toBe(true);
});

test('P20: in all there are so many sessions, and the oldest gives way', async () => {
  const sessions = createBrowserSessions(noRecord, { ...sessionLimits, inAll: 3 });
  const all = [];
  for (const name of ['a', 'b', 'c', 'd']) all.push(await sessions.open(wanted(person({ ...ann, name }))));
  expect(all.map(({ id }) => isOpen(sessions.find(id)))).toEqual([false, true, true, true]);
});

test('P25: what cannot be recorded opens nothing, and a record holds nothing that lets in', async () => {
  const records: string[] = [];
  const sessions = createBrowserSessions(async (record) => void records.push(JSON.stringify(record)));
  const { id } = await sessions.open(wanted());
  expect(records.join()).toContain('browser-session');
  expect(records.join()).not.toContain(id);
  const full = createBrowserSessions(() => Promise.reject(new Error('full')));
  await expect(full.open(wanted())).rejects.toThrow('full');
});

test('A-599: a session goes on once its provider answers again, and one that was put out does not', async () => {
  const sessions = createBrowserSessions(noRecord);
  let problem: { refused: string; isForAWhile?: true } | undefined;
  const check = (): Checked<Principal> => problem ?? { value: ann };
  const { id, session } = await sessions.open({ ...wanted(), admission: { value: ann, check } });
  problem = { refused: 'your groups are too old: try again later', isForAWhile: true };
  expect([sessions.find(id), session.check()]).toEqual([problem, problem]);
  sessions.tidy();
  problem = undefined;
  expect([isOpen(sessions.find(id)), isOpen(session.check())]).toEqual([true, true]);
  problem = { refused: 'what this person may do has changed; sign in again' };
  expect(isOpen(sessions.find(id))).toBe(false);
  problem = undefined;
  expect([isOpen(sessions.find(id)), isOpen(session.check())]).toEqual([false, false]);
});
