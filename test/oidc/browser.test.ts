import { readFile } from 'node:fs/promises';
import type { Cookie, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { axeFaults } from '../dashboard/look.ts';
import { startDashboard, type TriedDashboard } from '../dashboard/start-dashboard.ts';
import { browse } from './browse.ts';
import { type Company, clientId, openCompany, secret } from './company.ts';

let company: Company;
let tried: TriedDashboard;

beforeAll(async () => {
  company = await openCompany(['http://127.0.0.1/oidc/callback']);
  company.members.set('ann', { preferred_username: 'ann', groups: ['leads'] });
  company.members.set('eve', { preferred_username: 'eve', groups: ['others', '<b>"x&y"</b>'] });
  process.env['TEST_OIDC_SECRET'] = secret;
  tried = await startDashboard({
    keys: {
      oidc: {
        ...{ issuer: company.issuer, 'client-id': clientId, 'client-secret': { env: 'TEST_OIDC_SECRET' } },
        groups: { leads: { role: 'approver' } },
      },
    },
  });
}, 300_000);
afterEach(() => tried?.closePages());
afterAll(async () => {
  await tried[Symbol.asyncDispose]();
  await company[Symbol.asyncDispose]();
});

/** The provider has the same address, and cookies know no ports. */
async function ownCookies(page: Page): Promise<Cookie[]> {
  const cookies = await page.context().cookies(tried.gateway.httpUrl);
  return cookies.filter(({ name }) => name.startsWith('clawrden'));
}

test('a person signs in by the button, comes back as who the provider says, and stays after a reload', async () => {
  company.atKeyboard = 'ann';
  const page = await tried.openOut();
  await page.getByRole('button', { name: 'Sign in with your company' }).click();
  await page.getByRole('heading', { level: 1, name: 'Waiting' }).waitFor();
  expect(new URL(page.url()).origin).toBe(tried.gateway.httpUrl);
  const cookies = await ownCookies(page);
  expect(cookies.map(({ httpOnly, sameSite }) => ({ httpOnly, sameSite }))).toEqual([
    { httpOnly: true, sameSite: 'Strict' },
  ]);
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'Waiting' }).waitFor();
  const who: unknown = await page.evaluate(async () => (await fetch('/api/v1/session')).json());
  expect(who).toMatchObject({ principal: 'person:ann', rights: [{ role: 'approver', scope: {} }] });
  expect(tried.complaints).toEqual([]);
  expect(await readFile(tried.gateway.audit, 'utf8')).toContain('"by":"oidc:ann"');
});

test('a person whom no group lets in is told on a page which groups came, and can try again', async () => {
  company.atKeyboard = 'eve';
  const page = await tried.openOut();
  await page.getByRole('button', { name: 'Sign in with your company' }).click();
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
  const why = await page.getByRole('alert').textContent();
  expect(why).toMatch(/^You are not signed in: .*the provider says: others, <b>"x&y"<\/b>/);
  expect([await ownCookies(page), page.url()]).toEqual([[], `${tried.gateway.httpUrl}/`]);
  expect([await page.locator('main b').count(), await axeFaults(page)]).toEqual([0, []]);
  // There is a way to go on, once another person sits there whom the provider does not know yet.
  company.atKeyboard = 'ann';
  await page.context().clearCookies();
  await page.getByRole('button', { name: 'Sign in with your company' }).click();
  await page.getByRole('heading', { level: 1, name: 'Waiting' }).waitFor();
  expect(tried.complaints).toEqual([]);
});

/** Leaves for the provider with these cookies; resolves with the way back that the provider gave. */
async function leave(cookie = '') {
  const { httpUrl } = tried.gateway;
  const answer = await fetch(`${httpUrl}/api/v1/oidc/browser`, {
    method: 'POST',
    headers: { origin: httpUrl, 'content-type': 'application/json', cookie },
    body: '{}',
  });
  const { url } = (await answer.json()) as { url: string };
  const back = await browse(url, ({ href }) => href.startsWith(`${httpUrl}/oidc/callback`));
  return { back, cookie: answer.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '', set: answer.headers };
}

/** With these cookies only: of those that are Strict a browser sends none to where another site leads it. */
const come = (back: URL, cookie: string) => fetch(back, { headers: { cookie }, redirect: 'manual' });

test('A-172: who signs in again in a browser ends the session that it had, and who tries in vain does not', async () => {
  const signIn = async (cookie?: string) => {
    const left = await leave(cookie);
    const answer = await come(left.back, left.cookie);
    const pairs = answer.headers.getSetCookie().map((each) => each.split(';', 1)[0] ?? '');
    return { status: answer.status, session: pairs.find((pair) => !pair.includes('-oidc=')) ?? '' };
  };
  const isOpen = async (cookie: string) =>
    (await fetch(`${tried.gateway.httpUrl}/api/v1/session`, { headers: { cookie } })).status === 200;
  company.atKeyboard = 'ann';
  const [first, other] = [await signIn(), await signIn()];
  company.atKeyboard = 'eve';
  expect((await signIn(first.session)).status).toBe(401);
  expect(await isOpen(first.session)).toBe(true);
  company.atKeyboard = 'ann';
  const second = await signIn(first.session);
  const open = [first, other, second].map(({ session }) => isOpen(session));
  expect(await Promise.all(open)).toEqual([false, true, true]);
});

test('a way back that another browser began, or that was used, lets nobody in', async () => {
  company.atKeyboard = 'ann';
  const { httpUrl } = tried.gateway;
  const [own, others] = [await leave(), await leave()];
  expect(own.set.getSetCookie()[0]).toMatch(/; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/);
  expect((await come(own.back, '')).status).toBe(400);
  // Who lures a person to the way back of a sign-in of somebody else.
  expect((await come(own.back, others.cookie)).status).toBe(401);
  const good = await come(own.back, own.cookie);
  expect([good.status, good.headers.get('location')]).toEqual([303, '/']);
  expect((await come(own.back, own.cookie)).status).toBe(401);
  const foreign = await fetch(`${httpUrl}/api/v1/oidc/browser`, {
    method: 'POST',
    headers: { origin: 'http://evil.example', 'content-type': 'application/json' },
    body: '{}',
  });
  expect(foreign.status).toBe(403);
});
