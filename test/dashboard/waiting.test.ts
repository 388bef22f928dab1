import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { WardenServiceService } from '../../src/gen/clawrden/v1/warden.ts';
import { sharedPolicy } from '../fixtures/shared-policy.ts';
import { hasChromium } from '../http/chromium.ts';
import { axeFaults, sideways } from './look.ts';
import { readPlan } from './read-plan.ts';
import { narrow, startDashboard, type TriedDashboard } from './start-dashboard.ts';

const hostile = '<img src=x onerror="document.title=1">\u202Egpj.exe';
const shownHostile = String.raw`"<img src=x onerror=\"document.title=1\">\u{202e}gpj.exe"`;

let tried: TriedDashboard;
beforeAll(async () => {
  if (hasChromium) tried = await startDashboard();
}, 300_000);
afterEach(async () => {
  await tried?.closePages();
  await tried?.leaveAll();
});
afterAll(() => tried?.[Symbol.asyncDispose]());

const question = (page: Page) => page.getByRole('article', { name: 'Question' });
const approve = (page: Page) => question(page).getByRole('button', { name: 'Approve', exact: true });
/** As a person does: until all of the plan has been on the screen. */
async function read(page: Page): Promise<void> {
  await question(page)
    .getByText(/^"(?:ask|ls)"$/)
    .waitFor();
  await readPlan(question(page));
}

const rows = (page: Page) => page.getByRole('list', { name: 'Questions, the oldest first' });
const ids = (page: Page) => page.locator('.waiting-row:not(.is-gone) a');
const focused = (page: Page) => page.evaluate<string>('document.activeElement?.textContent ?? ""');

test.skipIf(!hasChromium)(
  'the oldest is shown with its whole plan; an approval lets it run to its end, and the page says who',
  async () => {
    const asked = await tried.ask({ args: ['--to', hostile], output: [Buffer.from('done')] });
    const page = await tried.open('/waiting');
    await question(page).getByText(shownHostile, { exact: true }).waitFor();
    expect([await page.locator('main img').count(), await page.title()]).toEqual([
      0,
      '(1) Waiting · Clawrden',
    ]);
    await read(page);
    await approve(page).click();
    await asked.ended;
    expect([asked.command.starts, asked.command.outcome?.code]).toEqual([1, 7]);
    await question(page).getByText('approved by you').waitFor();
    expect(await approve(page).count()).toBe(0);
  },
);

test.skipIf(!hasChromium)(
  'a plan that cannot be loaded says so and is tried again; after an answer the focus is on the next question, and Enter shows it',
  async () => {
    const [first, second] = [await tried.ask({ args: ['first'] }), await tried.ask({ args: ['second'] })];
    const page = await tried.open('/agents', { viewport: { width: 1280, height: 720 } });
    const plan = `**/api/v1/approvals/${first.command.approvalId}`;
    await page.route(plan, (route) => route.abort());
    await page.getByRole('link', { name: 'Waiting' }).click();
    await question(page).getByText('The plan: the gateway does not answer').waitFor();
    expect(await approve(page).isEnabled()).toBe(false);
    await page.unroute(plan);
    await question(page).getByRole('button', { name: 'Try again' }).click();
    await question(page).getByText('"first"', { exact: true }).waitFor();
    // On a small screen nobody has to scroll to have read an ordinary plan.
    await expect.poll(() => approve(page).isEnabled()).toBe(true);
    await page.keyboard.press('a');
    await page.keyboard.press('Enter');
    await first.ended;
    await expect.poll(() => focused(page)).toContain('second');
    await question(page).getByText('approved by you').waitFor();
    await page.keyboard.press('Enter');
    await question(page).getByText('"second"', { exact: true }).waitFor();
    second.leave();
    await second.ended;
  },
);

test.skipIf(!hasChromium)('a denial with its reason reaches the agent', async () => {
  const asked = await tried.ask();
  const page = await tried.open('/waiting');
  await question(page).getByRole('button', { name: 'Deny…' }).click();
  await page.getByLabel('Why not? The agent is told').fill('not on a Friday');
  await page.keyboard.press('Enter');
  await asked.ended;
  expect(asked.command.outcome?.reason).toBe('denied-by-person');
  expect(asked.command.outcome?.text).toContain('not on a Friday');
  await question(page).getByText('denied by you: not on a Friday').waitFor();
});

test.skipIf(!hasChromium)('a grant lets the same command run again without a question', async () => {
  await letLsAsk();
  const asked = await tried.ask({ tool: 'ls', args: ['granted'] });
  const page = await tried.open('/waiting');
  await read(page);
  await question(page).getByRole('button', { name: 'Approve with…' }).click();
  await page.getByLabel('Reason, for the record').fill('for the release');
  await question(page).getByRole('combobox', { name: 'Approve' }).selectOption('for an hour');
  await approve(page).click();
  await asked.ended;
  const firstPage = { limit: 10, pageToken: '' };
  const given = async () => (await tried.admin.call(WardenServiceService.listGrants, firstPage)).grants;
  // The yes counts before the grant does.
  await expect.poll(given).toMatchObject([{ argv: ['ls', 'granted'], givenBy: ['person:admin'] }]);
});

/** Of the tools that the shared policy has, none is known so well that it can be approved for a while. */
async function letLsAsk(): Promise<void> {
  const inForce = async () => (await tried.admin.call(WardenServiceService.getPolicy, {})).text;
  const text = sharedPolicy()
    .replace('  touch: {', '  ls: { strategy: mirror }\n  touch: {')
    .replace('[ask, touch, sh]', '[ask, touch, sh, ls]');
  await writeFile(join(tried.gateway.state, 'policy.yaml'), text);
  await expect.poll(inForce).toContain('ls: { strategy: mirror }');
}

test.skipIf(!hasChromium)('of two people one wins, and the other is told who it was', async () => {
  const asked = await tried.ask({ args: ['race'] });
  const [one, other] = await Promise.all([
    tried.open('/waiting', { as: { name: 'ann', role: 'approver' } }),
    tried.open('/waiting', { as: { name: 'ben', role: 'approver' } }),
  ]);
  await Promise.all([read(one), read(other)]);
  await approve(one).click();
  await asked.ended;
  await question(other).getByText('approved by person:ann').waitFor();
  await question(one).getByText('approved by you').waitFor();
  expect(await approve(other).count()).toBe(0);
  // Its row stays where it was until its reader goes on.
  await rows(other).getByText('approved by person:ann').waitFor();
});

test.skipIf(!hasChromium)(
  'a whole approval by keys alone; nobody approves what was not on the screen',
  async () => {
    const [first, second] = [
      await tried.ask({ args: ['1'] }),
      await tried.ask({ args: Array(90).fill('word') }),
    ];
    const page = await tried.open('/waiting');
    await expect.poll(() => ids(page).count()).toBe(2);
    await page.keyboard.press('j');
    await question(page).getByText('"word"', { exact: true }).first().waitFor();
    expect(await approve(page).isEnabled()).toBe(false);
    for (let presses = 0; presses < 12 && (await focused(page)) !== 'Approve'; presses += 1) {
      await page.keyboard.press('a');
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    }
    expect(await focused(page)).toBe('Approve');
    await page.keyboard.press('Enter');
    await second.ended;
    expect([first.command.outcome, second.command.starts]).toEqual([undefined, 1]);
    await page.keyboard.press('k');
    await page.keyboard.press('d');
    await page.keyboard.type('no');
    await page.keyboard.press('Enter');
    await first.ended;
    expect(first.command.outcome?.text).toContain('no');
    // Until then the keys are letters of the reason.
    await question(page).getByText('denied by you: no').waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  },
);

test.skipIf(!hasChromium)(
  'who goes on while an answer is on its way keeps the focus: what they type is a reason, not keys',
  async () => {
    const [first, second] = [await tried.ask({ args: ['1'] }), await tried.ask({ args: ['2'] })];
    const page = await tried.open('/waiting');
    const held = Promise.withResolvers<void>();
    await page.route(`**/api/v1/approvals/${first.command.approvalId}/verdict`, async (route) => {
      const answer = await route.fetch();
      await held.promise;
      await route.fulfill({ response: answer });
    });
    await read(page);
    await page.keyboard.press('a');
    await page.keyboard.press('Enter');
    await first.ended;
    await page.keyboard.press('j');
    await question(page).getByText('"2"', { exact: true }).waitFor();
    await page.keyboard.press('d');
    await page.keyboard.type('n');
    const answered = page.waitForResponse('**/verdict');
    held.resolve();
    await answered;
    await page.evaluate('new Promise((done) => setTimeout(done, 100))');
    await page.keyboard.type('o');
    await page.keyboard.press('Enter');
    await second.ended;
    expect(second.command.outcome?.text).toContain('no');
  },
);

test.skipIf(!hasChromium)(
  'several are denied together; approved together are only those that were on the screen as a whole',
  async () => {
    const asked = [await tried.ask({ args: ['a'] }), await tried.ask({ args: ['b'] })];
    const page = await tried.open('/waiting', { viewport: { width: 1280, height: 450 } });
    await expect.poll(() => ids(page).count()).toBe(2);
    await page.getByRole('checkbox', { name: 'Select all questions' }).check();
    const together = page
      .getByRole('region', { name: 'Questions' })
      .getByRole('button', { name: 'Approve…' });
    await page.getByText('2 not read to the end').waitFor();
    expect(await together.isEnabled()).toBe(false);
    await read(page);
    await page.keyboard.press('j');
    await read(page);
    await expect.poll(() => together.isEnabled()).toBe(true);
    await page.getByRole('button', { name: 'Deny…' }).first().click();
    await page.getByRole('dialog').getByLabel('Reason').fill('both');
    await page.getByRole('dialog').getByRole('button', { name: 'Deny 2 questions' }).click();
    await Promise.all(asked.map(({ ended }) => ended));
    expect(asked.map(({ command }) => command.outcome?.reason)).toEqual([
      'denied-by-person',
      'denied-by-person',
    ]);
    await page.getByText('2 of 2 denied.').waitFor();
  },
);

test.skipIf(!hasChromium)('a proposed rule is only text, and says what it would not change', async () => {
  const asked = await tried.ask({ args: ['--to', 'x"y'] });
  const page = await tried.open('/waiting');
  await question(page).getByRole('button', { name: 'Propose a rule…' }).click();
  const dialog = page.getByRole('dialog', { name: 'A rule for policy.yaml' });
  expect(await dialog.getByRole('region', { name: 'The rule' }).textContent()).toBe(
    'rules:\n  - name: allow-ask-to\n    agents: ["coder"]\n    tools: ["ask"]\n    args: ["--to", "x\\"y"]\n    action: allow\n',
  );
  expect(await axeFaults(page)).toEqual([]);
  asked.leave();
  await asked.ended;
});

test.skipIf(!hasChromium)(
  'A-67: what the agent says stands beside the plan, inert, and so does how this very plan was answered before',
  async () => {
    const env = [`CLAWRDEN_REASON=${hostile}`];
    const first = await tried.ask({ args: ['again'], env });
    const page = await tried.open('/waiting');
    await question(page).getByText('The agent says').waitFor();
    expect(await question(page).textContent()).toContain(shownHostile);
    expect(await page.locator('main img').count()).toBe(0);
    await question(page).getByRole('button', { name: 'Deny…' }).click();
    await page.getByLabel('Why not? The agent is told').fill('not yet');
    await page.keyboard.press('Enter');
    await first.ended;
    // Another word of the agent is no other plan.
    const second = await tried.ask({ args: ['again'] });
    expect(second.command.planHash).toBe(first.command.planHash);
    await page.locator(`a[href="/a/${second.command.approvalId}"]`).waitFor();
    await page.keyboard.press('j');
    const before = question(page).getByRole('region', { name: 'Answered before' });
    await before.getByText('not yet').waitFor();
    second.leave();
    await second.ended;
  },
);

test.skipIf(!hasChromium)('a viewer reads everything and has no button', async () => {
  const asked = await tried.ask();
  const page = await tried.open('/waiting', { as: { name: 'vera', role: 'viewer' } });
  await question(page).getByText('"ask"', { exact: true }).waitFor();
  expect(await page.getByRole('button', { name: /Approve|Deny/ }).count()).toBe(0);
  asked.leave();
  await asked.ended;
});

test.skipIf(!hasChromium).each(['light', 'dark'] as const)(
  'axe finds nothing, and nothing scrolls sideways on a telephone, where a row leads to one question (%s)',
  async (colorScheme) => {
    const asked = await tried.ask({ args: [hostile, 'w'.repeat(3000), '--token=abc'] });
    const page = await tried.open('/waiting', { colorScheme });
    await question(page).getByText('it looks like a secret').first().waitFor();
    expect([await axeFaults(page), await sideways(page)]).toEqual([[], 0]);
    await page.setViewportSize(narrow.viewport);
    await question(page).waitFor({ state: 'detached' });
    expect([await axeFaults(page), await sideways(page)]).toEqual([[], 0]);
    await ids(page).first().click();
    await page.waitForURL(`**/a/${asked.command.approvalId}`);
    await question(page).getByText('it looks like a secret').first().waitFor();
    expect([await axeFaults(page), await sideways(page)]).toEqual([[], 0]);
    asked.leave();
    await question(page).getByText('it ended before an answer').waitFor();
    expect([await axeFaults(page), await sideways(page)]).toEqual([[], 0]);
    await asked.ended;
  },
);

test.skipIf(!hasChromium)('no page complained, and none asked for what its policy forbids', () => {
  expect(tried.complaints).toEqual([]);
});
