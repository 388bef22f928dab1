import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hasChromium } from '../http/chromium.ts';
import { type PageHealth, pageHealth } from './page-health.ts';
import { startDashboard, type TriedDashboard } from './start-dashboard.ts';

const isLong = process.env['CLAWRDEN_LONG'] === '1';
/** So many commands fill what a page keeps: the newest records, compiled code. */
const warmUp = isLong ? 400 : 160;
/** `CLAWRDEN_MINUTES=30 scripts/test --long test/dashboard/memory` is half an hour of it. */
const minutes = Number(process.env['CLAWRDEN_MINUTES'] ?? '5');
const commandEveryMs = 200;
/** Each is four events: of its question and of its execution, as they come and go. */
const measured = isLong ? (minutes * 60_000) / commandEveryMs : 60;
/** Some hundred bytes for each id that History has seen, and what the measurement itself moves. */
const most = { bytes: 200_000 + 400 * measured, nodes: 400, listeners: 100 } as const;

let tried: TriedDashboard;
beforeAll(async () => {
  if (hasChromium) tried = await startDashboard({ limits: { 'requests-per-second': 1000 } });
}, 300_000);
afterAll(() => tried?.[Symbol.asyncDispose]());

const rooms = ['/waiting', '/live', '/history', '/agents', '/audit'] as const;

async function comeAndGo(): Promise<void> {
  const { command, leave, ended } = await tried.ask({ args: ['--to', 'x'.repeat(100)] });
  if (command.approvalId === '') throw new Error(JSON.stringify(command));
  leave();
  await ended;
}

/** One after another, at an even pace. */
async function askOften(count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) await Promise.all([comeAndGo(), sleep(commandEveryMs)]);
}

/** Every page goes on to show what comes. */
async function showLast(pages: readonly Page[], word: string): Promise<void> {
  const { leave, ended } = await tried.ask({ args: [word] });
  const titles = () => Promise.all(pages.map((page) => page.title()));
  await expect.poll(titles).toEqual(pages.map(() => expect.stringMatching(/^\(1\) /)));
  const audit = pages[rooms.indexOf('/audit')]!;
  // A page that nobody has seen for five minutes has its timers once a minute.
  await audit.bringToFront();
  await audit.locator('.audit-row', { hasText: word }).first().waitFor();
  leave();
  await ended;
  await expect.poll(titles).toEqual(pages.map(() => expect.stringMatching(/^[^(]/)));
}

const healthOf = (pages: readonly Page[]) => Promise.all(pages.map(pageHealth));

test.skipIf(!hasChromium)(
  `while 20 events a second come, no room holds more and more: ${measured} questions`,
  { timeout: (minutes + 10) * 60_000 * 2 },
  async () => {
    const first = await tried.open(rooms[0]);
    const pages = [first];
    for (const path of rooms.slice(1)) pages.push(await tried.openBeside(first, path));
    for (let count = 0; count < warmUp; count += 20) await Promise.all(Array.from({ length: 20 }, comeAndGo));
    await showLast(pages, 'before');
    const before = await healthOf(pages);
    await askOften(measured);
    await showLast(pages, 'after');
    const after = await healthOf(pages);
    const grown = rooms.map((room, at) => [room, growth(before[at], after[at])] as const);
    expect(
      grown.filter(
        ([, { bytes, nodes, listeners }]) =>
          bytes > most.bytes || nodes > most.nodes || listeners > most.listeners,
      ),
    ).toEqual([]);
  },
);

function growth(before: PageHealth | undefined, after: PageHealth | undefined): PageHealth {
  if (before === undefined || after === undefined) throw new Error('a page was not measured');
  return {
    bytes: after.bytes - before.bytes,
    nodes: after.nodes - before.nodes,
    listeners: after.listeners - before.listeners,
  };
}

test.skipIf(!hasChromium)('no page complained', () => {
  expect(tried.complaints).toEqual([]);
});
