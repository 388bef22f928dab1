import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ChatSite, startChatSite } from './chat-site.ts';
import { botToken, startTelegram, type TelegramServer } from './telegram-server.ts';

const vera = 13;
let server: TelegramServer;
let site: ChatSite;
let folder: string;

beforeAll(async () => {
  server = await startTelegram();
  folder = await mkdtemp(join(tmpdir(), 'clawrden-telegram-'));
  const file = join(folder, 'token');
  await writeFile(file, `${botToken}\n`, { mode: 0o600 });
  const chats = [{ name: 'ops', chat: server.chat }];
  site = await startChatSite(
    { telegram: { token: { file }, api: server.url, chats } },
    { admin: 'telegram:11', alice: 'telegram:12', vera: `telegram:${vera}` },
  );
}, 300_000);

afterAll(async () => {
  await site?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

test('A-616 P20: orders of one person do not use up the messages that questions need', async () => {
  for (let n = 0; n < 30; n += 1) server.write(vera, '/pause coder');
  const { command } = await site.ask({ tool: 'ask', args: ['behind'] });
  const told = () => server.messages.some(({ text }) => text.includes(`/a/${command.approvalId}`));
  await expect.poll(told, { timeout: 30_000, interval: 50 }).toBe(true);
  const answers = server.messages.filter(({ text }) => text.includes('role operator'));
  expect([answers.length > 0, answers.length <= 7]).toEqual([true, true]);
}, 60_000);

test('A-615 P20: a service that answers each poll at once is asked once a second', async () => {
  const polls = () => server.calls.filter(({ method }) => method === 'getUpdates').length;
  server.hasty = true;
  // Ends the poll that waits.
  server.write(vera, 'hello');
  const before = polls();
  await sleep(5000);
  expect(polls() - before).toBeLessThan(30);
  server.hasty = false;
}, 60_000);
