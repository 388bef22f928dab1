import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { AgentStatus, WardenServiceService } from '../../src/gen/clawrden/v1/warden.ts';
import { hasChromium } from '../http/chromium.ts';
import { axeFaults, sideways, tabTo } from './look.ts';
import { narrow, startDashboard, type TriedDashboard } from './start-dashboard.ts';

/** Names that objects have by themselves, and markup where the configuration lets anybody write what they like. */
const oddAgent = 'constructor';
const hostile = '<img src=x onerror="document.title=1">\u202Egpj.exe';

/** A relay tells of them, and may be in other hands. */
const manyTools = [hostile, ...Array.from({ length: 20 }, (_, at) => `tool-${at}`)];

let tried: TriedDashboard;
beforeAll(async () => {
  if (!hasChromium) return;
  tried = await startDashboard({
    moreAgents: [oddAgent, 'a'.repeat(63)],
    report: [
      { name: 'other', containerRunning: true, tools: manyTools, problem: '', halted: false },
      { name: oddAgent, containerRunning: false, tools: [], problem: hostile, halted: false },
    ],
    hosts: [
      {
        name: 'away',
        engine: 'unix:///nonexistent/docker.sock',
        labels: { zone: hostile, gpu: 'no' },
        slots: 4,
      },
      { name: 'b'.repeat(60), engine: 'unix:///nonexistent/other.sock' },
    ],
  });
}, 300_000);
afterEach(() => tried?.closePages());
afterAll(() => tried?.[Symbol.asyncDispose]());

const card = (page: Page, name: string) =>
  page.getByRole('listitem').filter({ has: page.getByRole('heading', { level: 2, name, exact: true }) });

const focused = (page: Page) => page.evaluate<string>('document.activeElement?.textContent ?? ""');

test.skipIf(!hasChromium)(
  'a pause names what will stop, ends it, is told with its reason, and is lifted; a cancel stops nothing',
  async () => {
    const page = await tried.open('/agents');
    const waits = await tried.ask({ args: ['--to', hostile] });
    const coder = card(page, 'coder');
    await coder.locator('a[href="/waiting"]').waitFor();
    await coder.getByRole('button', { name: 'Pause coder' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('1 command will end').waitFor();
    expect(await dialog.textContent()).toContain(
      String.raw`ask --to "<img src=x onerror=\"document.title=1\">\u{202e}gpj.exe"`,
    );
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.locator('dialog').waitFor({ state: 'detached' });
    expect(waits.command.outcome).toBeUndefined();
    await coder.getByRole('button', { name: 'Pause coder' }).click();
    await dialog.getByLabel('Reason').fill(hostile);
    await dialog.getByRole('button', { name: 'Pause coder' }).click();
    await waits.ended;
    expect(waits.command.outcome?.reason).toBe('canceled');
    await coder.getByText('paused', { exact: true }).waitFor();
    await coder.getByText('person:admin').waitFor();
    expect(await coder.textContent()).toContain(String.raw`\u{202e}gpj.exe`);
    await page.getByText(/coder is paused\. 1 command ended\./).waitFor();
    await coder.getByRole('button', { name: 'Resume coder' }).click();
    await dialog.getByRole('button', { name: 'Resume coder' }).click();
    await coder.getByText('active', { exact: true }).waitFor();
    const { agents } = await tried.admin.call(WardenServiceService.listAgents, { pageToken: '' });
    expect(agents.map(({ paused }) => paused)).not.toContain(true);
  },
);

test.skipIf(!hasChromium)(
  'by keyboard alone: lockdown behind a confirm that names every agent, and lifted again',
  async () => {
    const page = await tried.open('/agents');
    const button = page.getByRole('button', { name: 'Lockdown…' });
    await button.waitFor();
    await tabTo(page, 'Lockdown…');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Stop every agent?' });
    for (const name of ['coder', 'other', oddAgent]) expect(await dialog.textContent()).toContain(name);
    await dialog.getByText('Nothing of it runs or waits now.').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
    expect(await focused(page)).toBe('Lockdown…');
    await page.keyboard.press('Enter');
    await dialog.waitFor();
    await tabTo(page, 'Stop 4 agents');
    await page.keyboard.press('Enter');
    await page.getByText('Lockdown is on', { exact: true }).waitFor();
    const beside = await tried.openBeside(page, '/agents');
    await beside.getByText('Lockdown is on', { exact: true }).waitFor();
    await beside.getByRole('button', { name: 'Lift lockdown…' }).click();
    await beside.getByRole('dialog').getByRole('button', { name: 'Lift lockdown' }).click();
    await button.waitFor();
  },
);

test.skipIf(!hasChromium)(
  'A-383: a dialog does what it said when it was opened, or nothing: no lockdown is lifted and no kill loosened by it',
  async () => {
    const page = await tried.open('/agents');
    const reason = 'somebody else was faster';
    const change = (call: 'lockdown' | 'killed', on: boolean) =>
      call === 'lockdown'
        ? tried.admin.call(WardenServiceService.setLockdown, { on, reason })
        : tried.admin.call(WardenServiceService.setAgentState, {
            ...{ agent: 'coder', reason },
            status: on ? AgentStatus.KILLED : AgentStatus.ACTIVE,
          });
    const dialog = page.getByRole('dialog');
    const overtaken = async (asks: string, does: string, by: 'lockdown' | 'killed', said: string) => {
      await page.getByRole('button', { name: asks }).click();
      await dialog.getByLabel('Reason').fill('it loops');
      await dialog.getByText('Nothing of it runs or waits now.').waitFor();
      await change(by, true);
      await dialog.getByText(`It changed meanwhile: ${said}.`).waitFor();
      expect(await dialog.getByRole('button', { name: does }).isDisabled()).toBe(true);
      expect(await dialog.getByRole('button').count()).toBe(2);
      await page.keyboard.press('Escape');
      await page.locator('dialog').waitFor({ state: 'detached' });
    };
    await overtaken('Lockdown…', 'Stop 4 agents', 'lockdown', 'the lockdown is on');
    await change('lockdown', false);
    await page.getByRole('button', { name: 'Lockdown…' }).waitFor();
    await overtaken('Pause coder', 'Pause coder', 'killed', 'coder is killed by person:admin');
    await change('killed', false);
  },
);

test.skipIf(!hasChromium)(
  'a host says why it is down, is drained behind a confirm, and gets work again',
  async () => {
    const page = await tried.open('/hosts');
    const away = card(page, 'away');
    await away.getByText('down', { exact: true }).waitFor();
    expect(await away.textContent()).toMatch(/nonexistent|ENOENT|no such file/);
    await away.getByRole('button', { name: 'Drain: away' }).click();
    const dialog = page.getByRole('dialog', { name: 'Drain away?' });
    await dialog.getByText('Nothing is stopped').waitFor();
    await dialog.getByRole('button', { name: 'Drain away' }).click();
    await away.getByRole('button', { name: 'Give work again: away' }).waitFor();
    await away.getByText('draining', { exact: true }).waitFor();
    await away.getByRole('button', { name: 'Give work again: away' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Give away work' }).click();
    await away.getByRole('button', { name: 'Drain: away' }).waitFor();
  },
);

test.skipIf(!hasChromium)(
  'A-47: names and labels are text, whatever they say, and their direction is marked',
  async () => {
    const page = await tried.open('/hosts');
    const away = card(page, 'away');
    const shown = String.raw`"<img src=x onerror=\"document.title=1\">\u{202e}gpj.exe"`;
    await away.getByRole('list', { name: 'Labels of away' }).waitFor();
    expect(await away.textContent()).toContain(shown);
    expect(await away.locator('mark').first().getAttribute('title')).toContain('turns the direction');
    expect([await page.locator('main img').count(), await page.title()]).toEqual([0, 'Hosts · Clawrden']);
    await page.goto(`${tried.gateway.httpUrl}/agents/${oddAgent}`);
    await page.getByRole('heading', { level: 1, name: `Agent ${oddAgent}` }).waitFor();
  },
);

test.skipIf(!hasChromium)(
  'A-47: what a relay tells of an agent is text, and no tool has a name like that; its tools are all on its own page',
  async () => {
    const page = await tried.open('/agents');
    const other = card(page, 'other');
    await other.getByText('online', { exact: true }).waitFor();
    expect(await card(page, oddAgent).textContent()).toContain(String.raw`\u{202e}gpj.exe`);
    expect(await other.textContent()).not.toContain('gpj.exe');
    const tools = page.getByRole('list', { name: 'Tools of other' });
    expect([await tools.getByRole('listitem').count(), await page.locator('main img').count()]).toEqual([
      9, 0,
    ]);
    await tools.getByRole('link', { name: /^12 more/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Agent other' }).waitFor();
    await expect.poll(() => tools.getByRole('listitem').count()).toBe(20);
    await page.goBack();
    await card(page, 'coder').waitFor();
  },
);

test.skipIf(!hasChromium)('a viewer sees both rooms, and no button that would be refused', async () => {
  const page = await tried.open('/agents', { as: { name: 'vera', role: 'viewer' } });
  await card(page, 'coder').waitFor();
  expect(await page.getByRole('button', { name: /Pause|Kill|Lockdown/ }).count()).toBe(0);
  await page.getByRole('link', { name: 'Hosts' }).click();
  await card(page, 'away').waitFor();
  expect(await page.getByRole('button', { name: /Drain/ }).count()).toBe(0);
});

test.skipIf(!hasChromium).each(['light', 'dark'] as const)(
  'axe finds nothing in either room or a confirm, and nothing scrolls sideways on a telephone (%s)',
  async (colorScheme) => {
    const page = await tried.open('/agents', { colorScheme, ...narrow });
    await card(page, 'coder').waitFor();
    expect([await axeFaults(page), await sideways(page)]).toEqual([[], 0]);
    await card(page, 'coder').getByRole('button', { name: 'Kill coder' }).click();
    await page.getByText('Nothing of it runs or waits now.').waitFor();
    expect([await axeFaults(page), await sideways(page)]).toEqual([[], 0]);
    await page.keyboard.press('Escape');
    const hosts = await tried.openBeside(page, '/hosts');
    await hosts.setViewportSize(narrow.viewport);
    await card(hosts, 'away').waitFor();
    expect([await axeFaults(hosts), await sideways(hosts)]).toEqual([[], 0]);
    for (const each of [page, hosts]) {
      await each.setViewportSize({ width: 1280, height: 800 });
      expect([await axeFaults(each), await sideways(each)]).toEqual([[], 0]);
    }
  },
);

test.skipIf(!hasChromium)('no page complained', () => {
  expect(tried.complaints).toEqual([]);
});
