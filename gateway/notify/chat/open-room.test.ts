import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createFaults } from '../../../src/faults.ts';
import type { StateNews } from '../../ports/notifier.ts';
import type { PendingApproval } from '../../ports/verdict.ts';
import { createChatPosts } from '../../store/chat-posts.ts';
import { type Database, openDatabase } from '../../store/database.ts';
import type { ChatRoom, PostAnswer } from './chat-room.ts';
import { openRoom } from './open-room.ts';
import { plan } from './plan.fixture.ts';

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
  const ask = (agent: string, id: string) => {
    const consent = { approvals: 1, role: 'approver', answerIn: ['chat'] } as const;
    const question = {
      id,
      agent,
      consent,
      yeses: [],
      caller: 'relay:h',
      rule: 'r',
      reason: '',
      expiresAt: 0,
    };
    const masked = () => ({ plan: { ...plan, argv: ['make', id] }, isMasked: false });
    return chat.tell({
      event: 'question',
      id,
      question: question as unknown as PendingApproval,
      masked,
      at: 0,
    });
  };
  return { chat, posted, tell, ask };
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

test('A-603 P20: of what many posts of one agent wait, a post of another waits for one', async () => {
  const answer = Promise.withResolvers<PostAnswer>();
  const { chat, posted, tell, ask } = open([answer.promise]);
  await tell('busy');
  await expect.poll(() => posted.length, soon).toBe(1);
  for (let at = 0; at < 30; at += 1) await ask('loud', `1${at}`);
  await ask('quiet', '2');
  answer.resolve({ ref: 'm1' });
  await expect.poll(() => posted.filter((text) => text.includes('loud')).length, soon).toBe(5);
  expect(posted.slice(0, 3).join('\n')).toContain('command of quiet');
  await chat.close();
});
