import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { narrow } from '../start-dashboard.ts';

interface Picture {
  readonly name: string;
  readonly path: string;
  readonly look: 'light' | 'dark';
  readonly size?: { readonly width: number; readonly height: number };
  /** Resolves when there is something to see. */
  readonly ready: (page: Page) => Promise<unknown>;
}

const wide = { width: 1280, height: 720 };
const approve = (page: Page) => page.getByRole('button', { name: 'Approve', exact: true });
const terminal = (page: Page, text: string | RegExp) =>
  page.frameLocator('iframe.terminal').locator('.xterm-rows').getByText(text).first().waitFor();

/** `question`, `execution`: ids of what the day left. */
export const pictures = (ids: { readonly question: string; readonly execution: string }): Picture[] => [
  {
    ...{ name: 'waiting', path: '/waiting', look: 'light', size: { width: 1280, height: 800 } },
    // The whole plan of an ordinary command is on the screen: nobody has to read on.
    ready: (page) => approve(page).click({ trial: true }),
  },
  {
    ...{ name: 'question-on-a-telephone', path: `/a/${ids.question}`, look: 'dark', size: narrow.viewport },
    ready: (page) => page.getByText('1 more needed').waitFor(),
  },
  { name: 'live', path: '/live', look: 'light', ready: (page) => terminal(page, /120 of 212/) },
  {
    ...{ name: 'history', path: '/history', look: 'light' },
    ready: (page) => page.locator('.history-row').nth(5).waitFor(),
  },
  {
    ...{ name: 'execution', path: `/executions/${ids.execution}`, look: 'dark' },
    ready: (page) => terminal(page, 'a refund is not paid twice'),
  },
  {
    ...{ name: 'agents', path: '/agents', look: 'light' },
    ready: (page) => page.getByText('paused', { exact: true }).waitFor(),
  },
  {
    ...{ name: 'hosts', path: '/hosts', look: 'dark' },
    ready: (page) =>
      page
        .getByText(/[1-9] of \d slots/)
        .first()
        .waitFor(),
  },
  {
    ...{ name: 'policy', path: '/policy', look: 'light' },
    ready: async (page) => {
      await page.getByLabel('Agent').selectOption('coder');
      await page.getByLabel('Command').fill('npm install express');
      await page.getByRole('button', { name: 'Explain' }).click();
      await page.getByText('one person, approver or above').waitFor();
      await page.getByRole('region', { name: 'Warnings' }).getByRole('listitem').first().waitFor();
    },
  },
  {
    ...{ name: 'audit', path: '/audit', look: 'light' },
    ready: (page) => page.locator('.audit-seq').nth(5).waitFor(),
  },
];

/** Signs in once for light and once for dark. */
export async function shoot(browser: Browser, link: () => Promise<string>, folder: string, list: Picture[]) {
  await mkdir(folder, { recursive: true });
  for (const colorScheme of ['light', 'dark'] as const) {
    const context = await browser.newContext({ colorScheme });
    const first = await context.newPage();
    await first.goto(await link());
    await first.getByRole('heading', { level: 1, name: 'Waiting' }).waitFor();
    for (const { name, path, ready, size = wide } of list.filter((each) => each.look === colorScheme)) {
      const page = await context.newPage();
      await page.setViewportSize(size);
      await page.goto(new URL(path, first.url()).href);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await ready(page);
      await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' });
      await page.close();
    }
    await context.close();
  }
}
