import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { hasChromium } from '../http/chromium.ts';
import { longestTask } from './longest-task.ts';
import { namelessControls, sideways } from './look.ts';
import { startRunning } from './running.ts';
import { startBrowser } from './start-browser.ts';
import { narrow, startDashboard, type TriedDashboard } from './start-dashboard.ts';

const many = process.env['CLAWRDEN_LONG'] === '1' ? 1000 : 60;
/** Of a page that stays smooth, in time of the processor. */
const longestTaskMs = 200;

let tried: TriedDashboard;
beforeAll(async () => {
  if (hasChromium)
    tried = await startDashboard({ limits: { 'pending-per-agent': 1000, 'executions-per-agent': 2000 } });
}, 300_000);
afterEach(() => tried?.closePages());
afterAll(() => tried?.[Symbol.asyncDispose]());

/** Each room, with what is there once all of it is. */
const rooms = (ids: { readonly question: string; readonly running: string }) =>
  [
    ['/waiting', '.waiting'],
    [`/a/${ids.question}`, '.plan'],
    [`/live?id=${ids.running}`, '.live-chosen'],
    ['/history', '.history-row'],
    [`/executions/${ids.running}`, '.execution-facts'],
    ['/agents', '.agents-card'],
    ['/agents/coder', '.agents-card'],
    ['/hosts', '.empty'],
    ['/policy', '.policy-card'],
    ['/audit', '.audit-seq'],
  ] as const;

async function inEveryRoom(page: Page, look: (path: string) => Promise<void>): Promise<void> {
  const asked = await tried.ask({ args: ['--to', 'x'.repeat(300)] });
  const running = await startRunning(tried.relay, 'long', 'y'.repeat(300));
  for (const [path, landmark] of rooms({ question: asked.command.approvalId, running: running.id })) {
    await page.goto(`${tried.gateway.httpUrl}${path}`);
    await page.locator(landmark).first().waitFor();
    await look(path);
  }
  asked.leave();
  running.end();
  await asked.ended;
}

test.skipIf(!hasChromium)(
  'in every room a screen reader hears a name for each control, and nothing scrolls sideways: zoomed to 200 %, on a telephone',
  async () => {
    const page = await tried.open('/waiting');
    await inEveryRoom(page, async (path) => {
      await page.setViewportSize({ width: 1280, height: 800 });
      const nameless = await namelessControls(page);
      await page.setViewportSize({ width: 640, height: 400 });
      const zoomed = await sideways(page);
      await page.setViewportSize(narrow.viewport);
      expect([path, nameless, zoomed, await sideways(page)]).toEqual([path, [], 0, 0]);
    });
  },
);

test.skipIf(!hasChromium)('with text of 200 % no room scrolls sideways', async () => {
  const browser = await startBrowser('--blink-settings=defaultFontSize=32');
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await page.goto(await tried.link());
    await page.getByRole('heading', { level: 1, name: 'Waiting' }).waitFor();
    expect(await page.evaluate('getComputedStyle(document.documentElement).fontSize')).toBe('32px');
    await inEveryRoom(page, async (path) => expect([path, await sideways(page)]).toEqual([path, 0]));
  } finally {
    await browser.close();
  }
});

test.skipIf(!hasChromium)(
  'of many questions only those on the screen are drawn, going through them and a burst that ends them costs no long task',
  async () => {
    const page = await tried.open('/waiting');
    const rows = page.getByRole('list', { name: 'Questions, the oldest first' }).getByRole('listitem');
    const longest = await longestTask(page, async () => {
      const asked: Awaited<ReturnType<typeof tried.ask>>[] = [];
      for (let at = 0; at < many; at += 1) asked.push(await tried.ask({ args: [`question-${at}`] }));
      await expect.poll(() => rows.first().getAttribute('aria-setsize')).toBe(String(many));
      for (let at = 1; at < 30; at += 1) {
        await page.keyboard.press('j');
        await page.getByRole('article').getByText(`"question-${at}"`, { exact: true }).waitFor();
      }
      expect(await rows.count()).toBeLessThan(40);
      expect(await page.locator('*').count()).toBeLessThan(1500);
      for (const { leave } of asked) leave();
      await Promise.all(asked.map(({ ended }) => ended));
      await page.getByText('Answered or gone').waitFor();
      await expect.poll(() => page.title()).toBe('Waiting · Clawrden');
    });
    expect(longest).toBeLessThan(longestTaskMs);
  },
);

test.skipIf(!hasChromium)('no page complained', () => {
  expect(tried.complaints).toEqual([]);
});
