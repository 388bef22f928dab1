import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createQuestionNews } from '../../gateway/notify/news/question-news.ts';
import type { News } from '../../gateway/ports/notifier.ts';
import type { PendingApproval, ShownYes } from '../../gateway/ports/verdict.ts';
import { createChatPosts } from '../../gateway/store/chat-posts.ts';
import { type Database, openDatabase } from '../../gateway/store/database.ts';
import { createNotices } from '../../gateway/store/notices.ts';

const minute = 60_000;
const noon = Date.parse('2026-01-01T12:00:00Z');

let database: Database;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now: noon });
  database = await openDatabase(':memory:', 'crash');
});
afterEach(async () => {
  vi.useRealTimers();
  await database.destroy();
});

/** A question that has waited since noon, as a gateway on this database tells of it. */
function startTelling(yeses: ShownYes[] = []) {
  const told: News[] = [];
  const consent = { approvals: 2, role: 'approver', remindMs: 10 * minute } as const;
  const question = { id: 'q', createdAt: noon, consent, yeses } as unknown as PendingApproval;
  const look = createQuestionNews({
    pending: () => [question],
    approvals: { find: async () => undefined },
    told: createNotices(database).told,
    tell: async (news) => void told.push(news),
  });
  const events = () => told.map(({ event }) => event);
  return { look, events, reminders: () => events().filter((event) => event === 'question-reminder').length };
}

test('who was told is reminded at each of its times, once for what was missed while no gateway ran, and twenty times at most', async () => {
  const first = startTelling();
  for (let passed = 0; passed <= 25; passed += 1) {
    await first.look();
    await first.look();
    vi.advanceTimersByTime(minute);
  }
  expect(first.events()).toEqual(['question', 'question-reminder', 'question-reminder']);

  const second = startTelling();
  vi.setSystemTime(noon + 95 * minute);
  await second.look();
  await second.look();
  expect(second.events()).toEqual(['question-reminder']);
  for (let passed = 96; passed < 600; passed += 1) {
    vi.advanceTimersByTime(minute);
    await second.look();
  }
  // The ninth time was the first of them.
  expect(second.reminders()).toBe(12);
});

test.each([
  ['back', -60 * minute],
  ['ahead', 300 * minute],
] as const)(
  'A-542 P26: who was told is reminded at its time, also if the wall clock is set %s',
  async (_way, jump) => {
    const { look, reminders } = startTelling();
    await look();
    vi.setSystemTime(Date.now() + jump);
    await look();
    expect(reminders()).toBe(0);
    for (const wanted of [1, 2]) {
      vi.advanceTimersByTime(10 * minute);
      await look();
      expect(reminders()).toBe(wanted);
    }
  },
);

test('who shows a question is told when a yes comes, and when it counts no longer, each once', async () => {
  const yes: ShownYes = { by: 'person:ann', via: 'cli', reason: '', at: noon, stamp: '', counts: true };
  const yeses: ShownYes[] = [];
  const { look, events } = startTelling(yeses);
  await look();
  yeses.push(yes);
  await look();
  await look();
  yeses[0] = { ...yes, counts: false };
  await look();
  await look();
  expect(events()).toEqual(['question', 'question-changed', 'question-changed']);
});

test('A-347 P20: many long questions at once are told one after another, with turns between, and each plan is masked once', async () => {
  const plan = JSON.stringify({ argv: Array<string>(20_000).fill('pass=1'), env: [], cwd: '/app' });
  const pending = Array.from({ length: 20 }, (_, at) => {
    const consent = { approvals: 1, role: 'approver' } as const;
    return { id: `q${at}`, createdAt: noon, consent, yeses: [], plan } as unknown as PendingApproval;
  });
  let turns = 0;
  const count = (): void => {
    turns += 1;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  const turnsAt: number[] = [];
  const look = createQuestionNews({
    pending: () => pending,
    approvals: { find: async () => undefined },
    told: createNotices(database).told,
    tell: async (news) => {
      turnsAt.push(turns);
      if (news.event !== 'question') throw new Error(`told of ${news.event}`);
      expect(news.masked().isMasked).toBe(true);
      expect(news.masked()).toBe(news.masked());
    },
  });
  await look();
  clearImmediate(next);
  expect(new Set(turnsAt).size).toBe(20);
});

test('A-348 P10: what one agent has in a chat takes the place of no other agent’s', async () => {
  const posts = createChatPosts(database, { rows: 100, bytes: 1000 });
  const add = (agent: string, id: string, bytes: number) =>
    posts.add('ops', { id, agent, kind: 'question', approval: id, body: 'x'.repeat(bytes) });
  await add('quiet', 'first', 100);
  for (let at = 0; at < 20; at += 1) await add('loud', `l${at}`, 100);
  expect((await posts.due('ops')).map(({ id }) => id)).toContain('first');
  expect((await posts.due('ops')).map(({ id }) => id)).toContain('l19');
});

test('a chat keeps its newest posts, each id once; only what is shown and waits is changed, and only by another text', async () => {
  const posts = createChatPosts(database, { rows: 3, bytes: 1000 });
  const add = (id: string, body = '{}') =>
    posts.add('ops', { id, agent: '', kind: 'question', approval: id, body });
  const dropped: number[] = [];
  for (const id of ['a', 'b', 'b', 'c', 'd', 'e']) dropped.push(await add(id));
  expect(dropped).toEqual([0, 0, 0, 0, 1, 1]);
  expect(await add('large', 'x'.repeat(900))).toBe(1);
  expect(await add('larger', 'x'.repeat(900))).toBe(3);
  expect((await posts.due('ops')).map(({ id }) => id)).toEqual(['larger']);

  await posts.shown(await posts.due('ops'), 'm1');
  await posts.change('ops', 'larger', (body) => body);
  expect(await posts.due('ops')).toEqual([]);
  await posts.change('ops', 'larger', () => 'y');
  await posts.change('other', 'larger', () => 'z');
  expect(await posts.due('ops')).toMatchObject([{ id: 'larger', body: 'y', bytes: 1, message: 'm1' }]);
  await posts.end('ops', 'larger', 'ended');
  await posts.change('ops', 'larger', () => 'late');
  expect(await posts.due('ops')).toMatchObject([{ body: 'y', ended: 'ended' }]);
});
