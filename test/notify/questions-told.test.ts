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
  vi.useFakeTimers({ toFake: ['Date'], now: noon });
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
    vi.setSystemTime(noon + passed * minute);
    await first.look();
    await first.look();
  }
  expect(first.events()).toEqual(['question', 'question-reminder', 'question-reminder']);

  const second = startTelling();
  vi.setSystemTime(noon + 95 * minute);
  await second.look();
  await second.look();
  expect(second.events()).toEqual(['question-reminder']);
  for (let passed = 96; passed < 600; passed += 1) {
    vi.setSystemTime(noon + passed * minute);
    await second.look();
  }
  // The ninth time was the first of them.
  expect(second.reminders()).toBe(12);
});

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

test('a chat keeps its newest posts, each id once; only what is shown and waits is changed, and only by another text', async () => {
  const posts = createChatPosts(database, { rows: 3, bytes: 1000 });
  const add = (id: string, body = '{}') => posts.add('ops', { id, kind: 'question', approval: id, body });
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
