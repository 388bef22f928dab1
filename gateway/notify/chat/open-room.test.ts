import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createFaults } from '../../../src/faults.ts';
import type { StateNews } from '../../ports/notifier.ts';
import { createChatPosts } from '../../store/chat-posts.ts';
import { type Database, openDatabase } from '../../store/database.ts';
import type { ChatRoom, PostAnswer } from './chat-room.ts';
import { openRoom } from './open-room.ts';

let database: Database;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  database = await openDatabase(':memory:', 'crash');
});
afterEach(async () => {
  vi.useRealTimers();
  await database.destroy();
});

const soon = { timeout: 10_000 };
const hour = 3_600_000;

function open(answers: (PostAnswer | Promise<PostAnswer>)[]) {
  const posted: string[] = [];
  const room: ChatRoom = {
    ...{ textAtMost: 3000, gapMs: 50 },
    post: async ({ parts }) => {
      posted.push(parts.map(({ text }) => text).join(' '));
      return (await answers.shift()) ?? { ref: `m${posted.length}` };
    },
    edit: async (ref) => ({ ref }),
  };
  const [posts, log] = [createChatPosts(database), pino({ level: 'silent' })];
  const chat = openRoom({ name: 'ops', room, posts, link: () => '', faults: createFaults(log), log });
  const tell = (about: string) => {
    const news: StateNews = { event: 'host-down', id: about, at: Date.now(), about, by: '', reason: '' };
    return chat.tell(news);
  };
  return { chat, posted, tell };
}

test.each([
  ['back', -hour],
  ['ahead', 2 * hour],
] as const)(
  'A-542 P26: a chat is told at its pace, and what it refused is tried again, also if the wall clock is set %s',
  async (_way, jump) => {
    const answers: PostAnswer[] = [];
    const { chat, posted, tell } = open(answers);
    await tell('one');
    await expect.poll(() => posted.length, soon).toBe(1);

    vi.setSystemTime(Date.now() + jump);
    await tell('two');
    await expect.poll(() => posted.length, soon).toBe(2);

    answers.push({ why: 'it answered 503' });
    await tell('three');
    await expect.poll(() => posted.length, soon).toBe(3);
    vi.setSystemTime(Date.now() + jump);
    await expect.poll(() => posted.length, soon).toBe(4);
    expect(posted[3]).toContain('three');
    await expect.poll(() => chat.problems(), soon).toEqual([]);
    await chat.close();
  },
);

test('A-542 P26: a refusal while the wall clock jumps ahead is not the last try', async () => {
  const answer = Promise.withResolvers<PostAnswer>();
  const { chat, posted, tell } = open([answer.promise]);
  await tell('one');
  await expect.poll(() => posted.length, soon).toBe(1);
  vi.setSystemTime(Date.now() + 2 * hour);
  answer.resolve({ why: 'it answered 503' });
  await expect.poll(() => posted.length, soon).toBe(2);
  await expect.poll(() => chat.problems(), soon).toEqual([]);
  await chat.close();
});
