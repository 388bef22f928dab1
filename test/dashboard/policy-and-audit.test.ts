import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { hasChromium } from '../http/chromium.ts';
import { axeFaults, sideways } from './look.ts';
import { narrow, startDashboard, type TriedDashboard } from './start-dashboard.ts';

const hostile = '<b>x</b>\u202Egpj.exe';
const rule = `  - { name: shell, tools: [sh], args: ['-c ?*'], action: allow, reason: "for ${hostile}" }\n`;

let tried: TriedDashboard;
beforeAll(async () => {
  if (hasChromium) tried = await startDashboard({ policy: rule });
}, 300_000);
afterEach(() => tried?.closePages());
afterAll(() => tried?.[Symbol.asyncDispose]());

async function explained(page: Page, line: string): Promise<string> {
  await page.getByLabel('Command').fill(line);
  await page.getByRole('button', { name: 'Explain' }).click();
  const answer = page.getByRole('region', { name: 'What would become of…' }).getByRole('status');
  await answer
    .getByText(line.split(' ')[0] ?? '')
    .first()
    .waitFor();
  return (await answer.textContent()) ?? '';
}

test.skipIf(!hasChromium)(
  'the policy in force is shown with its lines; a command is explained with its rule, and its line is marked',
  async () => {
    const page = await tried.open('/policy');
    const text = page.getByRole('list', { name: 'Lines of the policy' });
    await text.getByText('version: 1', { exact: true }).waitFor();
    await page.getByLabel('Agent').selectOption('coder');
    expect(await explained(page, `ask "two words"`)).toMatch(/^ask ask "two words" for coder/);
    expect(await explained(page, 'run')).toMatch(/^allow run for coder.*may-run/);
    expect(await explained(page, 'nonsense -x')).toContain('deny');
    await page.getByRole('button', { name: 'Explain' }).click();
    expect(await explained(page, 'run a')).toContain('may-run');
    await page
      .getByRole('status')
      .getByRole('link', { name: /^line \d+$/ })
      .click();
    await page.waitForURL(/\/policy\?line=\d+$/);
    await expect.poll(() => text.locator('.is-current').textContent()).toContain('name: may-run');
    await page.getByLabel('Command').fill(`ask 'open`);
    await page.getByRole('button', { name: 'Explain' }).click();
    await page.getByText("A quote (') is not closed.").waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  },
);

test.skipIf(!hasChromium)('A-47: what the policy says is text, and its direction is marked', async () => {
  const page = await tried.open('/policy');
  const line = page.getByRole('listitem').filter({ hasText: 'name: shell' });
  await line.locator('mark').waitFor();
  expect(await line.textContent()).toContain(String.raw`for <b>x</b>\u{202e}gpj.exe`);
  await page.getByRole('region', { name: 'Warnings' }).getByRole('listitem').first().waitFor();
  expect(await page.locator('main b').count()).toBe(0);
});

test.skipIf(!hasChromium)(
  'the audit tells of each new record by itself, opens it whole, and names the head that was signed last',
  async () => {
    const page = await tried.open('/audit');
    await page.getByRole('heading', { name: 'The last signed head' }).waitFor();
    const records = page.getByRole('list', { name: 'Records' });
    const asked = await tried.ask({ args: [hostile] });
    const row = records.getByRole('listitem').filter({ hasText: String.raw`<b>x</b>\u{202e}gpj.exe` });
    // The oldest of them: newer ones come above it.
    await row.last().waitFor();
    await row.last().locator('summary').press('Enter');
    await row.last().getByText('planHash', { exact: true }).waitFor();
    asked.leave();
    await asked.ended;
    await records.getByRole('listitem').filter({ hasText: 'void' }).first().waitFor();
    const numbers = (await records.locator('.audit-seq').allTextContents()).map(Number);
    expect(numbers).toEqual(numbers.toSorted((one, other) => other - one));
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(numbers.at(-1)).toBe(1);
    await page.getByText('clawrden audit verify audit.jsonl').waitFor();
    await page.getByLabel('Only of type').selectOption('decision');
    await expect.poll(() => records.getByRole('listitem').count()).toBe(1);
    expect(await page.locator('main b').count()).toBe(0);
  },
);

test.skipIf(!hasChromium)('a hundred records are drawn, and older ones by a button', async () => {
  for (let count = 0; count < 45; count += 1) {
    const asked = await tried.ask();
    asked.leave();
    await asked.ended;
  }
  const page = await tried.open('/audit');
  const rows = page.getByRole('list', { name: 'Records' }).getByRole('listitem');
  await expect.poll(() => rows.count()).toBe(100);
  await page.getByRole('button', { name: 'Show older' }).click();
  await expect.poll(() => rows.count()).toBeGreaterThan(100);
  await page.getByLabel('Only of type').selectOption('decision');
  await expect.poll(() => rows.count()).toBeGreaterThan(40);
});

test.skipIf(!hasChromium)('a page that is far behind goes on from the newest records', async () => {
  const page = await tried.open('/audit');
  const rows = page.locator('.audit-row');
  await rows.first().waitFor();
  const behind = '**/api/v1/audit?*from=*';
  await page.route(behind, (route) => route.abort());
  const comeAndGo = async () => {
    const { leave, ended } = await tried.ask();
    leave();
    await ended;
  };
  // Each is at least two records; it is behind by more than the two hundred that it begins with.
  for (let count = 0; count < 120; count += 20) await Promise.all(Array.from({ length: 20 }, comeAndGo));
  const last = await tried.ask({ args: ['the-last-one'] });
  const anew = page.waitForRequest((request) => /\/audit\?limit=\d+$/.test(request.url()));
  await page.unroute(behind);
  await anew;
  await rows.filter({ hasText: 'the-last-one' }).first().waitFor({ timeout: 15_000 });
  last.leave();
  await last.ended;
});

test.skipIf(!hasChromium)('a gateway signs as it ends, and the page finds that head', async () => {
  await tried.gateway.end('SIGTERM');
  await tried.gateway.start();
  const page = await tried.open('/audit');
  await page.getByText(/^Record \d+, .* vouches for everything up to it/).waitFor();
  await page.getByRole('button', { name: /copy/ }).first().waitFor();
});

test.skipIf(!hasChromium).each(['light', 'dark'] as const)(
  'axe finds nothing in either room, and nothing scrolls sideways on a telephone (%s)',
  async (colorScheme) => {
    const page = await tried.open('/policy', { colorScheme, ...narrow });
    expect(await explained(page, 'ask x')).toContain('must-ask');
    expect([await axeFaults(page), await sideways(page)]).toEqual([[], 0]);
    const audit = await tried.openBeside(page, '/audit');
    await audit.setViewportSize(narrow.viewport);
    await audit.locator('summary').first().click();
    expect([await axeFaults(audit), await sideways(audit)]).toEqual([[], 0]);
    for (const each of [page, audit]) {
      await each.setViewportSize({ width: 1280, height: 800 });
      expect([await axeFaults(each), await sideways(each)]).toEqual([[], 0]);
    }
  },
);

test.skipIf(!hasChromium)('no page complained', () => {
  expect(tried.complaints).toEqual([]);
});
