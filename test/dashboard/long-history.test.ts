import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hasChromium } from '../http/chromium.ts';
import { fillHistory, needle } from './fill-history.ts';
import { longestTask } from './longest-task.ts';
import { startDashboard, type TriedDashboard } from './start-dashboard.ts';

const past = process.env['CLAWRDEN_LONG'] === '1' ? 100_000 : 6_000;
const pages = 8;
const rowsOfPage = 100;
/** Of a page that stays smooth, in time of the processor. */
const longestTaskMs = 200;

let tried: TriedDashboard;
beforeAll(async () => {
  if (!hasChromium) return;
  tried = await startDashboard();
  await fillHistory(tried.gateway.state, past);
}, 300_000);
afterAll(() => tried?.[Symbol.asyncDispose]());

const rows = (page: Page) => page.getByRole('list', { name: 'Executions' }).getByRole('listitem');
const lines = (page: Page) => page.locator('.history-line');

/** Rows of another page of the list, once they are there. */
async function turn(page: Page, to: 'Older' | 'Newer'): Promise<void> {
  const before = await lines(page).first().textContent();
  await page.getByRole('button', { name: to, exact: true }).click();
  await expect.poll(() => lines(page).first().textContent()).not.toBe(before);
}

test.skipIf(!hasChromium)(
  `of ${past} past executions a page is drawn: going through them, a search and a filter cost no long task, while commands go on`,
  async () => {
    const page = await tried.open('/waiting');
    const longest = await longestTask(page, async () => {
      await page.getByRole('link', { name: 'History' }).click();
      await expect.poll(() => rows(page).count()).toBe(rowsOfPage);
      for (let at = 1; at < pages; at += 1) await turn(page, 'Older');
      expect(await lines(page).first().textContent()).toContain(
        `--step ${past - 1 - (pages - 1) * rowsOfPage} `,
      );
      await turn(page, 'Newer');
      const asked = await Promise.all(
        Array.from({ length: 20 }, (_, at) => tried.ask({ args: [`now-${at}`] })),
      );
      for (const { leave } of asked) leave();
      await Promise.all(asked.map(({ ended }) => ended));
      await page.getByLabel('In the command line').fill(needle);
      await page.keyboard.press('Enter');
      await expect
        .poll(() => lines(page).allTextContents())
        .toEqual(Array.from({ length: Math.ceil(past / 5_000) }, () => `make ${needle}`));
      await page.getByLabel('Agent', { exact: true }).fill('coder');
      await page.keyboard.press('Enter');
      await expect.poll(() => rows(page).count()).toBeLessThan(Math.ceil(past / 5_000));
      expect(await page.locator('.history-who').allTextContents()).not.toContain('other');
      expect(await page.locator('*').count()).toBeLessThan(2_500);
    });
    expect(longest).toBeLessThan(longestTaskMs);
  },
);

test.skipIf(!hasChromium)('no page complained', () => {
  expect(tried.complaints).toEqual([]);
});
