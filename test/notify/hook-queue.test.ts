import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openWebhook } from '../../gateway/notify/webhook/open-webhook.ts';
import type { StateNews } from '../../gateway/ports/notifier.ts';
import { type Database, openDatabase } from '../../gateway/store/database.ts';
import { createNotices, hookBounds } from '../../gateway/store/notices.ts';
import { createFaults } from '../../src/faults.ts';
import { steadyClock } from '../../src/steady-clock.ts';
import { type Receiver, startReceiver } from './receiver.ts';

const secret = 'a secret of the test';
const waiting = { timeout: 60_000, interval: 20 } as const;

let database: Database;
let receiver: Receiver;
/** By the clock of the queue. */
let time: number;
beforeEach(async () => {
  time = Date.now();
  database = await openDatabase(':memory:', 'crash');
  receiver = await startReceiver(secret);
  receiver.answer = { status: 503 };
});
afterEach(async () => {
  await receiver[Symbol.asyncDispose]();
  await database.destroy();
});

/** A webhook of the real queue, and what it logged. */
function open(now = () => time) {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => lines.push(line) });
  const faults = createFaults(log);
  const queue = createNotices(database, hookBounds, now).hooks;
  const { url } = receiver;
  const config = { name: 'pager', url, secret: { env: '' }, private: true, tells: [], agents: {} };
  const webhook = openWebhook({ config, secret, queue, link: () => '', faults, log });
  const lost = () =>
    lines.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ level }) => level === 50);
  return { webhook, queue, lost, faults };
}

function news(id: string, reason = ''): StateNews {
  return { event: 'host-down', id, at: Date.now(), about: 'h', by: '', reason };
}

const of = (id: string) => receiver.received.filter(({ delivery }) => delivery === id).length;
const rows = () => database.selectFrom('hook_deliveries').select(['id', 'tries']).orderBy('row').execute();
/** When this try has been kept. */
const tried = (id: string, tries: number) =>
  expect.poll(async () => (await rows()).find((row) => row.id === id)?.tries, waiting).toBe(tries);

test('what nobody takes is tried for an hour and then lost, which the log and doctor say', async () => {
  const { webhook, lost, faults } = open();
  const begun = time;
  await webhook.tell(news('old'));
  await tried('old', 1);
  expect(webhook.problems()).toEqual(['webhook pager is not told now: it answered 503']);

  time = begun + 59 * 60_000;
  await webhook.tell(news('young'));
  await tried('old', 2);
  await tried('young', 1);
  expect(lost()).toEqual([]);

  time = begun + 60 * 60_000;
  await webhook.tell(news('new'));
  await expect.poll(async () => (await rows()).map(({ id }) => id), waiting).toEqual(['young', 'new']);
  await tried('new', 1);
  expect(of('old')).toBe(3);
  expect(lost()).toMatchObject([{ who: 'webhook pager', count: 1, why: 'it answered 503' }]);
  expect(webhook.problems()).toContain('webhook pager was not told of 1 events since the start');

  // What is young enough is told when the receiver is back.
  receiver.answer = { status: 204 };
  time = begun + 61 * 60_000;
  await webhook.tell(news('last'));
  await expect.poll(async () => (await rows()).length, waiting).toBe(0);
  expect(webhook.problems()).toEqual(['webhook pager was not told of 1 events since the start']);
  expect(faults.count()).toBe(0);
  await webhook.close();
});

test.each([
  ['back', -3_600_000],
  ['ahead', 7_200_000],
] as const)(
  'A-542 P26: what nobody takes is tried again, and not given up, also if the wall clock is set %s',
  async (_way, jump) => {
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      const { webhook, lost } = open(steadyClock());
      await webhook.tell(news('one'));
      await tried('one', 1);
      vi.setSystemTime(Date.now() + jump);
      await tried('one', 2);
      expect(lost()).toEqual([]);
      await webhook.close();
    } finally {
      vi.useRealTimers();
    }
  },
);

test('A-590 P20: agents take turns at a webhook, and what is put off holds up no other', async () => {
  const { hooks } = createNotices(database, hookBounds, () => time);
  const add = async (agent: string, count: number) => {
    for (let at = 0; at < count; at += 1)
      await hooks.add('pager', { id: `${agent}${at}`, event: 'question', agent, body: '{}' });
  };
  await add('alpha', 50);
  await add('beta', 2);
  await add('', 1);
  await add('gamma', 1);
  const told: string[] = [];
  let last = '';
  const tell = async (count: number) => {
    for (let at = 0; at < count; at += 1) {
      const row = await hooks.next('pager', last);
      if (row === undefined || row.next_at > time) return;
      last = row.agent;
      told.push(row.id);
      if (row.id === 'alpha1') await hooks.later(row.row, time + 1000, 1);
      else await hooks.drop(row.row);
    }
  };
  await tell(6);
  expect(told).toEqual(['alpha0', 'beta0', 'gamma0', '0', 'alpha1', 'beta1']);
  await add('beta', 3);
  await tell(3);
  expect(told.slice(6)).toEqual(['alpha2', 'beta0', 'alpha3']);
  await tell(100);
  expect(told).toHaveLength(57);
  expect(await hooks.next('pager', last)).toMatchObject({ id: 'alpha1', tries: 1 });
});

test('A-590 P20: the webhook tells of each agent in its turn', async () => {
  const { hooks } = createNotices(database, hookBounds, () => time);
  for (const id of ['alpha0', 'alpha1', 'alpha2', 'beta0'])
    await hooks.add('pager', { id, event: 'question', agent: id.slice(0, -1), body: '{}' });
  receiver.answer = { status: 200 };
  const { webhook } = open();
  await expect.poll(() => receiver.received.length, waiting).toBe(4);
  expect(receiver.received.map(({ delivery }) => delivery)).toEqual(['alpha0', 'beta0', 'alpha1', 'alpha2']);
  await webhook.close();
});

test('A-542 P26: at a start what waits is due, whatever the clock said when it was put off', async () => {
  const before = createNotices(database, hookBounds, () => time);
  await before.hooks.add('pager', { id: 'one', event: 'host-down', agent: '', body: '{}' });
  const row = (await before.hooks.next('pager'))?.row ?? 0;
  await before.hooks.later(row, time + 1000, 1);
  await before.chats.add('ops', { id: 'one', agent: '', kind: 'note', approval: '', body: '{}' });
  await before.chats.later(await before.chats.due('ops'), time + 1000);

  const start = time - 3_600_000;
  const after = createNotices(database, hookBounds, () => start);
  await after.hooks.keepOnly(['pager']);
  await after.chats.keepOnly(['ops']);
  expect(await after.hooks.next('pager')).toMatchObject({ next_at: start, made_at: start, tries: 1 });
  expect(await after.chats.due('ops')).toMatchObject([{ id: 'one', due_since: start, tries: 1 }]);
});

test.each([
  ['1000 events', hookBounds.rows, 100],
  ['32 MiB', 40, 1024 ** 2],
] as const)('of more than %s the oldest are lost, which the log and doctor say', async (_, count, size) => {
  const { webhook, queue, lost } = open();
  // All but the last as if they were added before: they wait for another hour.
  const body = 'x'.repeat(size);
  const times = { made_at: time, next_at: time + 3_600_000, tries: 0 };
  for (let at = 0; at < count; at += 1) {
    const row = { hook: 'pager', id: `${at}`, event: 'host-down', agent: '', body, bytes: size, ...times };
    await database.insertInto('hook_deliveries').values(row).execute();
    // Another's counts for itself.
    if (at < 3) await queue.add('other', { id: `${at}`, event: 'host-down', agent: '', body });
  }
  await webhook.tell(news('last'));
  const mine = async () =>
    await database
      .selectFrom('hook_deliveries')
      .select(['id', 'bytes'])
      .where('hook', '=', 'pager')
      .orderBy('row')
      .execute();
  const kept = await mine();
  const gone = count + 1 - kept.length;
  expect(gone).toBe(count === hookBounds.rows ? 1 : 9);
  expect(kept.map(({ id }) => id)).toEqual([
    ...Array.from({ length: count - gone }, (_each, at) => `${at + gone}`),
    'last',
  ]);
  expect(kept.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(hookBounds.bytes);
  expect(await queue.waiting('other')).toBe(3);
  expect(lost()).toMatchObject([{ who: 'webhook pager', count: gone, why: 'too many wait' }]);
  expect(webhook.problems()).toContain(`webhook pager was not told of ${gone} events since the start`);
  await webhook.close();
});

test.each([
  ['events', { rows: 20, bytes: 1024 ** 2 }, 1],
  ['bytes', { rows: 1000, bytes: 20 * 1024 }, 1024],
] as const)(
  'A-309 P10: an agent that asks and goes away takes the room of no other (%s)',
  async (_, bounds, size) => {
    const queue = createNotices(database, bounds).hooks;
    const add = (agent: string, at: number) =>
      queue.add('pager', { id: `${agent}/${at}`, event: 'question', agent, body: 'x'.repeat(size) });
    for (const at of [0, 1, 2]) await add('quiet', at);
    for (let at = 0; at < 100; at += 1) await add('loud', at);
    await add('late', 0);
    const kept = (await rows()).map(({ id }) => id);
    const newest = Array.from({ length: 16 }, (_each, at) => `loud/${at + 84}`);
    expect(kept).toEqual(['quiet/0', 'quiet/1', 'quiet/2', ...newest, 'late/0']);
  },
);
