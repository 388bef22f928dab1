import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, connect } from '../../src/http-api/client.ts';
import { buildPages } from '../dashboard/build-pages.ts';
import { readPlan } from '../dashboard/read-plan.ts';
import { startBrowser } from '../dashboard/start-browser.ts';
import { hasChromium } from '../http/chromium.ts';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { type Stack, startStack } from '../stack/start-stack.ts';
import { lifePolicy } from './life.ts';

/** What the caller writes for the person who is asked: as hostile as anything that an agent writes. */
const reason = 'release 2.3 <b>now</b>\u202egpj.exe';

describe.skipIf(!hasLab() || !hasChromium)('the dashboard of a real fleet', () => {
  let stack: Stack;
  let browser: Browser;
  let page: Page;
  let program: Client;
  beforeAll(async () => {
    await buildPages();
    stack = await startStack(sharedLab(), {
      ...{ name: 'page', policy: lifePolicy(), agents: { coder: {} }, host: { slots: 1, warm: 0 } },
    });
    const { stdout: token } = await stack.cli(['tokens', 'create', 'ci', '--role', 'orchestrator']);
    program = connect({ url: stack.httpUrl, token: token.trim() });
    browser = await startBrowser();
    page = await browser.newPage();
    page.setDefaultTimeout(60_000);
    const { stdout } = await stack.cli(['dashboard', '--no-open', '--json']);
    await page.goto((JSON.parse(stdout) as { link: string }).link);
    await page.getByRole('heading', { level: 1, name: 'Waiting' }).waitFor();
  }, 300_000);
  afterAll(async () => {
    await browser?.close();
    await stack?.stop();
  });

  const room = (name: string) => page.getByRole('navigation').getByRole('link', { name }).first().click();
  /** What the file's name makes a command wait for. */
  const waits = (go: string) => `while [ ! -e ${go} ]; do sleep 0.05; done`;
  const letGo = (go: string) => writeFile(join(stack.workspaceOf('coder'), go), '');

  test("A-241: what a program's request says that it is for stands beside the question as text; approved in the page, it is seen to run to its end", async () => {
    const args = [`: ask; echo one; ${waits('go')}; echo two`];
    const ends = program.run({ agent: 'coder', tool: 'ghostly', args, reason });
    const question = page.getByRole('article', { name: 'Question' });
    await question.getByText('The agent says').waitFor();
    expect(await question.textContent()).toContain(String.raw`"release 2.3 <b>now</b>\u{202e}gpj.exe"`);
    expect(await page.locator('main b').count()).toBe(0);
    await readPlan(question);
    await question.getByRole('button', { name: 'Approve', exact: true }).click();
    await question.getByText('approved by you').waitFor();
    await room('Live');
    const screen = page.frameLocator('iframe.terminal').locator('.xterm-rows');
    await screen.getByText('one').waitFor();
    expect(await screen.innerText()).not.toContain('two');
    await letGo('go');
    await screen.getByText('two').waitFor();
    await page.getByText('It has ended.').waitFor();
    expect(await ends).toMatchObject({ stdout: { data: 'one\ntwo\n' }, outcome: { exitCode: 0 } });
  });

  test('a host that is full says so, with how many wait; an agent whose relay is there shows its tools', async () => {
    const args = [`: busy; ${waits('enough')}`];
    const all = ['one', 'two', 'three'].map(() => program.run({ agent: 'coder', tool: 'ghostly', args }));
    await room('Hosts');
    const hosts = page.getByRole('list', { name: 'Hosts' });
    await expect.poll(() => hosts.getByText('1 of 1 slots in use').count()).toBe(stack.hosts.length);
    await hosts.getByText('1 more wait for a place').first().waitFor();
    await room('Agents');
    const coder = page.getByRole('list', { name: 'Agents' }).getByRole('listitem').first();
    await coder.getByText('online', { exact: true }).waitFor();
    expect(await coder.textContent()).toMatch(/Container\s*running/);
    expect(await page.getByRole('list', { name: 'Tools of coder' }).textContent()).toContain('ghostly');
    await coder.getByRole('link', { name: '3', exact: true }).waitFor();
    await letGo('enough');
    expect(await Promise.all(all)).toMatchObject(all.map(() => ({ outcome: { exitCode: 0 } })));
    await room('Hosts');
    await expect.poll(() => hosts.getByText('0 of 1 slots in use').count()).toBe(stack.hosts.length);
  });
});
