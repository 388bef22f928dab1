import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ChatSite } from './chat-site.ts';
import type { TelegramMessage, TelegramServer } from './telegram-server.ts';
import { startTelegramSite, type TelegramSite, users } from './telegram-site.ts';

let started: TelegramSite;
let server: TelegramServer;
let site: ChatSite;

beforeAll(async () => {
  started = await startTelegramSite();
  ({ server, site } = started);
}, 300_000);

afterAll(async () => await started?.[Symbol.asyncDispose]());

test('A-616 P20: orders of one person do not use up the messages that questions need', async () => {
  for (let n = 0; n < 30; n += 1) server.write(users.vera, '/pause coder');
  const { command } = await site.ask({ tool: 'ask', args: ['behind'] });
  const told = () => server.messages.some(({ text }) => text.includes(`/a/${command.approvalId}`));
  await expect.poll(told, { timeout: 30_000, interval: 50 }).toBe(true);
  expect(server.messages.filter(({ text }) => text.includes('role operator'))).toHaveLength(1);
}, 60_000);

test('A-629 P19: a person who writes no orders for a minute gets an answer to one, whatever others write', async () => {
  for (let n = 0; n < 30; n += 1)
    for (const user of [users.vera, users.olga, users.nobody]) server.write(user, '/pause coder');
  server.write(users.admin, '/kill coder it is me');
  const asked = () => server.messages.some(({ text }) => text.includes('it is me'));
  await expect.poll(asked, { timeout: 30_000, interval: 50 }).toBe(true);
}, 60_000);

test('A-630 P20: messages that are too large together keep nobody from an order', async () => {
  for (let n = 0; n < 3; n += 1) server.write(users.nobody, 'x'.repeat(1_200_000));
  server.write(users.admin, '/pause coder behind them');
  const asked = () => server.messages.some(({ text }) => text.includes('behind them'));
  await expect.poll(asked, { timeout: 30_000, interval: 50 }).toBe(true);
}, 60_000);

/** The question for a Confirm that this order gets. */
async function askedOf(order: string, reason: string): Promise<TelegramMessage> {
  server.write(users.admin, `${order} ${reason}`);
  const find = () => server.messages.find(({ text, buttons }) => text.includes(reason) && buttons.length > 0);
  await expect.poll(find, { timeout: 30_000, interval: 50 }).toBeDefined();
  return find()!;
}

test('A-631 P19: an order to stop an agent waits for no other, of which it takes seconds to tell that nothing confirms it', async () => {
  const orders = [await askedOf('/kill coder', 'the first'), await askedOf('/pause other', 'the second')];
  const press = async (message: TelegramMessage) => {
    const id = server.press({ user: users.admin, message, data: message.buttons[0]!.callback_data });
    const told = () => server.replies.find((reply) => reply.id === id)?.text;
    await expect.poll(told, { timeout: 30_000, interval: 20 }).toContain('Not confirmed to be gone');
    return performance.now();
  };
  const [first = 0, second = 0] = await Promise.all(orders.map(press));
  expect(second - first).toBeLessThan(1500);
}, 60_000);

test('A-616 P20: who may stop agents gets a few answers, and is told once that there are too many orders', async () => {
  const before = server.messages.length;
  for (let n = 0; n < 30; n += 1) server.write(users.admin, '/pause coder');
  const count = (words: string) =>
    server.messages.slice(before).filter(({ text }) => text.includes(words)).length;
  await expect.poll(() => count('too many orders'), { timeout: 30_000, interval: 50 }).toBeGreaterThan(0);
  // Whatever more there is was sent by then.
  await sleep(500);
  expect(count('too many orders')).toBe(1);
  // The first in a minute, six more, and one that came in ten seconds.
  expect([count('Pause coder?') > 0, count('Pause coder?') <= 8]).toEqual([true, true]);
}, 60_000);

test('A-615 P20: a service that answers each poll at once is asked once a second', async () => {
  const polls = () => server.calls.filter(({ method }) => method === 'getUpdates').length;
  server.hasty = true;
  // Ends the poll that waits.
  server.write(users.vera, 'hello');
  const before = polls();
  await sleep(5000);
  expect(polls() - before).toBeLessThan(30);
  server.hasty = false;
}, 60_000);
