import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Frame, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { GatewayClient } from '../../src/gateway-client/connect-gateway.ts';
import { packageRoot } from '../../src/package-root.ts';
import { addPast } from './fill-history.ts';
import { axeFaults, sideways, tabTo } from './look.ts';
import { type Running, startRunning } from './running.ts';
import { narrow, startDashboard, type TriedDashboard } from './start-dashboard.ts';

const policy = '  - { name: keep-all, tools: [run], action: allow, record: full }\n';
const esc = '\u001b';
/** What would retitle, ask, remap or hide, in a real terminal. */
const hostile = `${esc}]0;root@prod\u0007${esc}]52;c;cm0=\u0007${esc}[c${esc}[6n${esc}[?1049h${esc}[?1000h${esc}[8m${esc}c<img src=x onerror=alert(1)></script>\u202e`;

let tried: TriedDashboard;
let relay: GatewayClient;
beforeAll(async () => {
  tried = await startDashboard({ policy });
  relay = tried.relay;
}, 300_000);
afterEach(() => tried?.closePages());
afterAll(async () => {
  await tried?.[Symbol.asyncDispose]();
});

async function frameOf(page: Page): Promise<Frame> {
  const element = await page.locator('iframe.terminal').elementHandle();
  const frame = await element?.contentFrame();
  if (!frame) throw new Error('there is no terminal');
  await frame.locator('.xterm-rows').waitFor();
  return frame;
}

const screenOf = (frame: Frame) => frame.locator('.xterm-rows').innerText();

async function recorded(...parts: readonly string[]): Promise<Running> {
  const running = await startRunning(relay, 'recorded', 'command');
  for (const part of parts) {
    running.write(part);
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  running.end();
  await expect.poll(() => running.wasStopped()).toBe(true);
  return running;
}

async function shot(page: Page, name: string): Promise<void> {
  const folder = process.env['CLAWRDEN_SHOTS'];
  if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`) });
}

test('what runs is shown with its output as it comes, and what it writes cannot do anything', async () => {
  const running = await startRunning(relay, 'install', '--all', '<b>x</b>');
  const page = await tried.open('/live');
  await page.getByRole('link', { name: /run install/ }).waitFor();
  const frame = await frameOf(page);
  running.write('fetching…\n');
  await expect.poll(() => screenOf(frame)).toContain('fetching…');
  running.write(`${hostile}still here ${esc}[31mred${esc}[0m\n`);
  running.write('a warning\n', 'stderr');
  await expect.poll(() => screenOf(frame)).toContain('still here red');
  expect(await screenOf(frame)).toContain('<img src=x onerror=alert(1)></script>\\u{202e}');
  await page.getByText(/8 control sequences were left out/).waitFor();
  expect(await frame.locator('img, script:not([src])').count()).toBe(0);
  await shot(page, 'live');
  running.end();
  await page.getByText('It has ended.').waitFor();
  await page.getByText('This command does not run any more.').waitFor();
});

test('by keyboard alone an operator looks at what runs and cancels it, after a confirm that names it; a viewer sees no output and no button', async () => {
  const running = await startRunning(relay, 'sleep', 'long');
  const page = await tried.open('/agents');
  await tabTo(page, 'Live');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: /run sleep long/ }).waitFor();
  await tabTo(page, 'Cancel it…');
  await page.keyboard.press('Enter');
  expect(await page.getByRole('dialog').innerText()).toContain('run sleep long');
  await shot(page, 'cancel');
  const viewer = await tried.open(`/live?id=${running.id}`, { as: { name: 'vera', role: 'viewer' } });
  await viewer.getByText('Operators see here what it writes').waitFor();
  expect(await viewer.getByRole('button', { name: 'Cancel it…' }).count()).toBe(0);
  await tabTo(page, 'Cancel the command');
  await page.keyboard.press('Enter');
  await expect.poll(() => running.wasStopped()).toBe(true);
});

test('a recording is replayed with its time, by keys, and sought in', async () => {
  const { id } = await recorded('first\n', 'second\n', `${hostile}third\n`);
  const page = await tried.open(`/executions/${id}`);
  const frame = await frameOf(page);
  await expect.poll(() => screenOf(frame)).toContain('third');
  await shot(page, 'execution');
  await page.getByRole('slider', { name: 'Position' }).focus();
  await page.keyboard.press('Home');
  await expect.poll(() => screenOf(frame)).not.toContain('second');
  await page.keyboard.press('End');
  await expect.poll(() => screenOf(frame)).toContain('third');
  await page.keyboard.press('Home');
  await expect.poll(() => screenOf(frame)).not.toContain('second');
  await page.getByRole('button', { name: 'Play' }).focus();
  await page.keyboard.press('Enter');
  await expect.poll(() => screenOf(frame)).toContain('third');
  await page.getByRole('button', { name: 'Play' }).waitFor();
  expect(await page.getByText(/control sequences were left out/).count()).toBe(1);
});

test('the history is searched and filtered, its address can be sent, and back leads back', async () => {
  const { id } = await recorded('a needle in hay\n');
  const page = await tried.open('/history');
  await page.getByLabel('In the command line').fill('recorded comm');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.url()).toContain('q=recorded+comm');
  await expect.poll(() => page.locator('.history-row').count()).toBeGreaterThan(0);
  const lines = await page.locator('.history-line').allInnerTexts();
  expect(lines.every((line) => line.includes('recorded command'))).toBe(true);
  await shot(page, 'history');
  await page.getByLabel('Decision').selectOption('deny');
  await page.getByText('Nothing is like that').waitFor();
  await page.goBack();
  await page.locator(`.history-row a[href="/executions/${id}"]`).click();
  await page.getByRole('heading', { name: 'Execution' }).waitFor();
  await frameOf(page);
});

test('A-241: what a command reached by name is on its page, and its row counts it; hostile names are text', async () => {
  const place = { route: '', outcome: 'closed', times: 41, up: 10, down: 2000 };
  const id = await addPast(tried.gateway.state, {
    connectionCount: 44,
    connections: JSON.stringify([
      { ...place, to: 'registry.example:443' },
      { ...place, to: 'model.example:443', route: 'model', times: 1 },
      { ...place, to: '<img src=x onerror=alert(1)>\u202e:80', outcome: 'denied', times: 1 },
      { ...place, to: '', outcome: 'other', times: 1 },
    ]),
  });
  const page = await tried.open('/history');
  await page
    .locator('.history-row', { hasText: '44 reached' })
    .locator(`a[href="/executions/${id}"]`)
    .click();
  const section = page.getByRole('region', { name: 'Connections' });
  await section.waitFor();
  expect(
    (await section.getByRole('listitem').allInnerTexts()).map((text) => text.replace(/\s+/g, ' ')),
  ).toEqual([
    '"registry.example:443" closed 41 times, 10 bytes there, 2000 from there',
    '"model.example:443" by route model closed 1 time, 10 bytes there, 2000 from there',
    String.raw`"<img src=x onerror=alert(1)>\u{202e}:80" denied 1 time, 10 bytes there, 2000 from there`,
    'Other places 1 time, 10 bytes there, 2000 from there',
  ]);
  expect(await section.locator('img').count()).toBe(0);
  expect([await axeFaults(page), await sideways(page)]).toEqual([[], 0]);
  await shot(page, 'connections');
});

test('axe finds nothing, in light and dark, and nothing scrolls sideways at 380 px', async () => {
  const running = await startRunning(relay, 'x'.repeat(200), 'y');
  const { id } = await recorded('output\n');
  for (const colorScheme of ['light', 'dark'] as const)
    for (const path of ['/live', '/history?q=recorded', `/executions/${id}`]) {
      const page = await tried.open(path, { colorScheme, ...(colorScheme === 'dark' && narrow) });
      if (!path.startsWith('/history')) {
        const frame = await frameOf(page);
        await expect.poll(() => frame.locator('.xterm-rows').innerText()).toBeDefined();
        expect(await axeFaults(frame as unknown as Page)).toEqual([]);
      } else await page.locator('.history-row').first().waitFor();
      expect([path, await axeFaults(page), await sideways(page)]).toEqual([path, [], 0]);
      await shot(page, `${colorScheme}${path.slice(0, 6).replaceAll('/', '-')}`);
      await page.context().close();
    }
  running.end();
});

test('of four pages of a browser three follow: the fourth takes the place of the oldest, which says so', async () => {
  const running = await startRunning(relay, 'watched');
  const first = await tried.open(`/live?id=${running.id}`);
  await first.getByText('Live', { exact: true }).last().waitFor();
  for (let more = 0; more < 3; more += 1) {
    const page = await tried.openBeside(first, `/live?id=${running.id}`);
    await page.locator('.output-live').waitFor();
  }
  await first.getByText(/Another page of this browser follows/).waitFor();
  running.end();
  await first.context().close();
});

test('the first load is at most 150 kB packed, and has no terminal in it', () => {
  const folder = join(packageRoot(), 'build/dashboard');
  const shell = readFileSync(join(folder, 'index.html'), 'utf8');
  const loaded = readdirSync(join(folder, 'assets')).filter((name) => shell.includes(name));
  const texts = loaded.map((name) => readFileSync(join(folder, 'assets', name), 'utf8'));
  const size = [shell, ...texts].reduce((sum, text) => sum + gzipSync(text).length, 0);
  expect(size).toBeLessThan(150_000);
  expect(texts.some((text) => text.includes('xterm-helper'))).toBe(false);
});

test('A-137: no page violated the policy of its page', () => {
  expect(tried.complaints).toEqual([]);
});
