import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { hasChromium } from '../http/chromium.ts';
import { axeFaults, sideways } from './look.ts';
import { narrow, startDashboard, type TriedDashboard } from './start-dashboard.ts';

/** Chromium has six connections to one origin. */
const pagesAtOnce = process.env['CLAWRDEN_LONG'] === '1' ? 20 : 8;

let tried: TriedDashboard;
beforeAll(async () => {
  if (hasChromium) tried = await startDashboard();
}, 300_000);
afterEach(() => tried?.closePages());
afterAll(() => tried?.[Symbol.asyncDispose]());

test.skipIf(!hasChromium)(
  'a link signs in once, leaves no code in the address, and a reload stays in',
  async () => {
    const page = await tried.open('/');
    await page.waitForURL(`${tried.gateway.httpUrl}/waiting`);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Waiting');
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Waiting' }).waitFor();
    const used = await tried.link();
    await (await page.context().browser()!.newContext()).newPage().then((other) => other.goto(used));
    const second = await (await page.context().browser()!.newContext()).newPage();
    await second.goto(used);
    await expect.poll(() => second.getByRole('alert').textContent()).toContain('used already');
    expect(second.url()).not.toContain('code=');
  },
);

test.skipIf(!hasChromium)(
  "A-499: somebody else's link tells who is signed in, and changes nothing",
  async () => {
    const page = await tried.open();
    await page.goto(await tried.link({ name: 'mallory', role: 'viewer' }));
    const told = () => page.getByRole('alert').textContent();
    await expect.poll(told).toContain('signed in as person:admin, and the link is of person:mallory');
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Waiting' }).waitFor();
  },
);

test.skipIf(!hasChromium)('who is not signed in is told how to, and sees nothing else', async () => {
  const page = await tried.open();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await page.getByText('clawrden dashboard', { exact: true }).waitFor();
  expect(await axeFaults(page)).toEqual([]);
});

test.skipIf(!hasChromium).each(['light', 'dark'] as const)(
  'the frame and an empty room have no fault that axe finds, and fit a telephone (%s)',
  async (colorScheme) => {
    const page = await tried.open('/waiting', { colorScheme, ...narrow });
    await page.getByRole('heading', { name: 'Nothing waits for you' }).waitFor();
    expect([await axeFaults(page), await sideways(page)]).toEqual([[], 0]);
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('link', { name: 'Waiting' }).waitFor();
    expect([await axeFaults(page), await sideways(page)]).toEqual([[], 0]);
    await page.setViewportSize({ width: 1280, height: 800 });
    expect([await axeFaults(page), await sideways(page)]).toEqual([[], 0]);
  },
);

test.skipIf(!hasChromium)('an address without a room says so, and leads back', async () => {
  const page = await tried.open('/waiting');
  const beside = await tried.openBeside(page, '/waiting');
  await beside.evaluate("history.pushState(null, '', '/a'); dispatchEvent(new PopStateEvent('popstate'))");
  await beside.getByRole('heading', { name: 'There is nothing at this address' }).waitFor();
  await beside.getByRole('link', { name: 'What waits for an answer' }).click();
  await beside.getByRole('heading', { level: 1, name: 'Waiting' }).waitFor();
});

test.skipIf(!hasChromium)(
  'more pages of one browser than it has connections are live over one stream, also when its reader closes',
  async () => {
    const first = await tried.open();
    const pages = [first];
    for (let count = 1; count < pagesAtOnce; count += 1)
      pages.push(await tried.openBeside(first, '/waiting'));
    const counts = () => Promise.all(pages.map((page) => page.title()));
    const one = await tried.ask();
    await expect.poll(counts).toEqual(pages.map(() => '(1) Waiting · Clawrden'));
    // It was the first one, so that it reads for all.
    await pages.shift()?.close();
    const two = await tried.ask();
    await expect.poll(counts).toEqual(pages.map(() => '(2) Waiting · Clawrden'));
    one.leave();
    two.leave();
    await expect.poll(counts).toEqual(pages.map(() => 'Waiting · Clawrden'));
  },
);

test.skipIf(!hasChromium)(
  'a gateway that is gone is told; back again, who is out is told to sign in, and then sees exactly what the API tells',
  async () => {
    for (const word of ['first', 'second', 'third']) await tried.ask({ args: [word] });
    const page = await tried.open();
    const links = page.locator('.waiting-row a');
    await expect.poll(() => links.count()).toBe(3);
    await tried.gateway.end('SIGKILL');
    await page.getByText('Not connected to the gateway').waitFor();
    await tried.gateway.start();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.getByRole('alert').textContent()).toContain('session has ended');
    await page.goto(await tried.link());
    const told = () => page.evaluate<string[]>(askedIds);
    // What waited is asked about again, and was not answered by the end of its gateway.
    await expect.poll(told).toHaveLength(3);
    await expect
      .poll(() => links.evaluateAll((all) => all.map((link) => link.getAttribute('href'))))
      .toEqual((await told()).map((id) => `/a/${id}`));
    await expect.poll(() => page.title()).toBe('(3) Waiting · Clawrden');
  },
);

/** In the page, as it asks itself. */
const askedIds = `fetch('/api/v1/approvals').then((answer) => answer.json())
  .then(({ approvals }) => approvals.map(({ id }) => id))`;

test.skipIf(!hasChromium)('no page complained, and none asked for what its policy forbids', () => {
  expect(tried.complaints).toEqual([]);
});
