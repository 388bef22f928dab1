import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectGateway, type GatewayClient } from '../../src/gateway-client/connect-gateway.ts';
import { enroll } from '../../src/gateway-client/enroll.ts';
import { WardenServiceService } from '../../src/gen/clawrden/v1/warden.ts';
import { browserSession } from '../../src/http-api/session.ts';
import { type RealGateway, startRealGateway } from './real-gateway.ts';

let gateway: RealGateway;
let admin: GatewayClient;
let dir: string;
beforeAll(async () => {
  gateway = await startRealGateway();
  admin = await gateway.admin();
  dir = await mkdtemp(join(tmpdir(), 'clawrden-browsers-'));
});
afterAll(async () => {
  admin?.close();
  await gateway?.[Symbol.asyncDispose]();
  await rm(dir, { recursive: true, force: true });
});

interface Link {
  readonly url: string;
  readonly code: string;
}

interface Browser {
  readonly url: string;
  readonly cookie: string;
  readonly csrf: string;
  readonly status: () => Promise<number>;
}

const use = ({ url, code }: Link) =>
  fetch(`${url}/api/v1/session`, {
    method: 'POST',
    headers: { origin: url, 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
  });

async function signIn(link: Link): Promise<Browser> {
  const answer = await use(link);
  const { csrfToken: csrf } = browserSession.parse(await answer.json());
  const cookie = answer.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
  const status = async () => {
    const looked = await fetch(`${link.url}/api/v1/agents`, { headers: { cookie } });
    await looked.body?.cancel();
    return looked.status;
  };
  return { url: link.url, cookie, csrf, status };
}

const user = (name: string, more: object = {}) => ({
  ...{ name, role: 'operator', scope: [], ttl: 0n, replace: false },
  ...more,
});

async function newBrowser(name: string, more: object = {}): Promise<Browser> {
  const { code } = await admin.call(WardenServiceService.setUser, user(name, more));
  const identityDir = join(dir, name);
  await enroll({ address: gateway.enrollAddress, token: code, as: 'caller', identityDir });
  const client = await connectGateway({ address: gateway.address, identityDir });
  const link = await client.call(WardenServiceService.createSignInCode, {});
  // The session does not need the connection.
  client.close();
  return await signIn(link);
}

/** Resolves with how long the stream went on after `act`. */
async function openEvents({
  url,
  cookie,
}: Browser): Promise<(act: () => Promise<unknown>) => Promise<number>> {
  const answer = await fetch(`${url}/api/v1/events`, { headers: { cookie } });
  expect(answer.status).toBe(200);
  const reader = answer.body!.getReader();
  await reader.read();
  return async (act) => {
    const began = performance.now();
    await act();
    while (!(await reader.read()).done);
    return performance.now() - began;
  };
}

const ends: Readonly<Record<string, (name: string, browser: Browser) => Promise<unknown>>> = {
  removed: (name) => admin.call(WardenServiceService.removeUser, { name, reason: '' }),
  revoked: (name) => admin.call(WardenServiceService.revoke, { principal: `person:${name}`, reason: '' }),
  'given another role': (name) =>
    admin.call(WardenServiceService.setUser, user(name, { role: 'viewer', replace: true })),
  'given a scope': (name) =>
    admin.call(
      WardenServiceService.setUser,
      user(name, { scope: [{ key: 'team', value: 'web' }], replace: true }),
    ),
  'signed out': (_name, { url, cookie, csrf }) =>
    fetch(`${url}/api/v1/session`, {
      method: 'DELETE',
      headers: { cookie, origin: url, 'x-clawrden-csrf': csrf },
    }),
};

test.each(Object.entries(ends))(
  'A-125 P6: a browser is out within 5 s, with its streams, if its person is %s; another goes on',
  async (what, end) => {
    const name = what.replaceAll(' ', '-');
    const [browser, other] = [await newBrowser(name), await newBrowser(`not-${name}`)];
    const [mine, others] = [await openEvents(browser), await openEvents(other)];
    expect([await browser.status(), await other.status()]).toEqual([200, 200]);
    expect(await mine(() => end(name, browser))).toBeLessThan(5_000);
    expect([await browser.status(), await other.status()]).toEqual([401, 200]);
    const goesOn = others(async () => {});
    const open = new Promise((resolve) => void setTimeout(resolve, 1_500, 'open'));
    expect(await Promise.race([goesOn, open])).toBe('open');
  },
);

test('A-125 P6: a browser is out with the time for which its person is known', async () => {
  const browser = await newBrowser('guest', { ttl: 4n });
  const events = await openEvents(browser);
  expect(await events(async () => {})).toBeLessThan(4_000 + 5_000);
  expect(await browser.status()).toBe(401);
});

test('A-123: clawrden dashboard prints a link that signs one browser in, once', async () => {
  const { code: exit, stdout } = await gateway.cli('dashboard', '--json');
  const { link, expiresAt } = JSON.parse(stdout) as { link: string; expiresAt: string };
  expect([exit, link]).toEqual([0, expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/#code=[\w-]{43}$/)]);
  expect(Date.parse(expiresAt) - Date.now()).toBeLessThanOrEqual(60_000);
  const { origin: url, hash } = new URL(link);
  const code = hash.replace('#code=', '');
  const browser = await signIn({ url, code });
  expect([await browser.status(), (await use({ url, code })).status]).toEqual([200, 401]);
  const plain = await gateway.cli('dashboard', '--no-open');
  expect(plain.stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#code=[\w-]{43}\n$/);
  expect(plain.stderr).toContain('once, within a minute');
  const log = await readFile(gateway.audit, 'utf8');
  expect(log).toContain('"credential":"sign-in-code"');
  expect(log).toContain('"credential":"browser-session"');
  for (const secret of [code, browser.cookie.split('=')[1] ?? '?']) {
    expect(log).not.toContain(secret);
    expect(await readFile(gateway.log, 'utf8')).not.toContain(secret);
  }
});

test('A-125: a browser is out after a restart of the gateway, and comes in by another code', async () => {
  const link = async () => {
    const { origin: url, hash } = new URL(
      (JSON.parse((await gateway.cli('dashboard', '--json')).stdout) as { link: string }).link,
    );
    return { url, code: hash.replace('#code=', '') };
  };
  const [browser, unused] = [await signIn(await link()), await link()];
  expect(await browser.status()).toBe(200);
  await gateway.end('SIGKILL');
  await gateway.start();
  expect([await browser.status(), (await use(unused)).status]).toEqual([401, 401]);
  expect(await (await signIn(await link())).status()).toBe(200);
});
