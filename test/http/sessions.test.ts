import { afterAll, beforeAll, expect, test } from 'vitest';
import { triesAtMost } from '../../gateway/connections/wrong-tries.ts';
import { session } from '../../src/http-api/session.ts';
import { signIn, useCode } from './browser.ts';
import { type HttpGateway, startHttpGateway } from './http-gateway.ts';
import { rawHttp, requestText } from './raw-http.ts';

let door: HttpGateway;
beforeAll(async () => {
  door = await startHttpGateway();
});
afterAll(() => door[Symbol.asyncDispose]());

const status = '/api/v1/status';
const path = '/api/v1/session';

test('a browser signs in by a code, says who it is after a reload, looks, changes and signs out', async () => {
  const browser = await signIn(door, door.token('operator', { name: 'ann' }));
  expect(browser.cookie).toMatch(new RegExp(`^clawrden-${door.port}=[\\w-]{43}$`));
  const again = await door.fetch(path, { headers: browser.look });
  const told = session.parse(await again.json());
  expect(told).toMatchObject({ principal: 'person:ann', csrfToken: browser.csrf });
  expect(Date.parse(told.expiresAt ?? '')).toBeGreaterThan(Date.now() + 11 * 3_600_000);
  expect((await door.fetch(status, { headers: browser.look })).status).toBe(200);
  const lockdown = {
    method: 'PUT',
    headers: { ...browser.change, 'content-type': 'application/json' },
    body: JSON.stringify({ on: true }),
  };
  expect((await door.fetch('/api/v1/lockdown', lockdown)).status).toBe(200);
  const out = await door.fetch(path, { method: 'DELETE', headers: browser.change });
  expect([out.status, out.headers.getSetCookie()]).toEqual([
    200,
    [`clawrden-${door.port}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0`],
  ]);
  expect((await door.fetch(status, { headers: browser.look })).status).toBe(401);
  expect((await door.fetch('/api/v1/lockdown', lockdown)).status).toBe(401);
});

test('a body is refused with the bound of its own call', async () => {
  const send = (target: string, bytes: number) =>
    door.fetch(target, {
      method: 'POST',
      token: door.token('operator'),
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code: 'x'.repeat(bytes) }),
    });
  for (const [target, most] of [
    [path, 4096],
    ['/api/v1/executions', 2 * 1024 * 1024],
  ] as const) {
    const told = (await (await send(target, most)).json()) as { status: number; detail: string };
    expect(told).toMatchObject({ status: 413, detail: expect.stringContaining(`(${most} at most)`) });
  }
});

test('who calls with a token is told who it is, and has no session', async () => {
  const token = door.token('viewer');
  const told = session.parse(await (await door.fetch(path, { token })).json());
  expect(told).toEqual({ principal: 'person:viewer', rights: [{ role: 'viewer', scope: {} }] });
  expect((await door.fetch(path, { token, method: 'DELETE' })).status).toBe(400);
});

test('A-123: an id that the browser brought is never adopted, and its session ends', async () => {
  const name = `clawrden-${door.port}`;
  const fixed = 'A'.repeat(43);
  const browser = await signIn(door, door.token('viewer'), { cookie: `${name}=${fixed}` });
  expect(browser.cookie).not.toContain(fixed);
  expect((await door.fetch(status, { headers: { cookie: `${name}=${fixed}` } })).status).toBe(401);
  // A session that somebody may have planted there is not the one of its person afterwards.
  const token = door.token('viewer', { name: 'vera' });
  const planted = await signIn(door, token);
  const victim = await signIn(door, token, { cookie: planted.cookie });
  expect(victim.cookie).not.toBe(planted.cookie);
  expect((await door.fetch(status, { headers: planted.look })).status).toBe(401);
  expect((await door.fetch(status, { headers: victim.look })).status).toBe(200);
  // A sign-in that fails ends nothing.
  const wrong = await useCode(door, 'wrong', { cookie: victim.cookie });
  expect([wrong.status, wrong.headers.getSetCookie()]).toEqual([401, []]);
  expect((await door.fetch(status, { headers: victim.look })).status).toBe(200);
});

test('A-499: a link of somebody else takes no browser over, and says who is signed in', async () => {
  const browser = await signIn(door, door.token('approver', { name: 'vera' }));
  const mallory = door.token('viewer', { name: 'mallory' });
  const code = await door.code(mallory);
  const answer = await useCode(door, code, { cookie: browser.cookie });
  expect([answer.status, answer.headers.getSetCookie()]).toEqual([409, []]);
  const text = 'this browser is signed in as person:vera, and the link is of person:mallory';
  expect(await answer.json()).toMatchObject({ detail: expect.stringContaining(text) });
  expect((await door.fetch(status, { headers: browser.look })).status).toBe(200);
  // It is used up, and holds up no sign-in of a browser whose session has ended.
  expect((await useCode(door, code)).status).toBe(401);
  await door.fetch(path, { method: 'DELETE', headers: browser.change });
  await signIn(door, mallory, { cookie: browser.cookie });
});

test('A-123: a code works once over HTTP, also for five at once', async () => {
  const code = await door.code(door.token('viewer'));
  const told = await Promise.all(Array.from({ length: 5 }, () => useCode(door, code)));
  const count = (wanted: number) => told.filter((answer) => answer.status === wanted).length;
  expect([count(200), count(401)]).toEqual([1, 4]);
});

test('A-123 P20: ten wrong codes a minute from one source, and others go on', async () => {
  await using other = await startHttpGateway();
  const send = (code: string, from: string) => {
    const body = JSON.stringify({ code });
    const host = `127.0.0.1:${other.port}`;
    const lines = [`host: ${host}`, `origin: http://${host}`, 'content-type: application/json'];
    const text = requestText(path, [...lines, `content-length: ${body.length}`], 'POST', body);
    return rawHttp(other.port, text, from);
  };
  const told = await Promise.all(Array.from({ length: 30 }, (_, at) => send(`wrong-${at}`, '127.6.0.1')));
  const count = (wanted: number) => told.filter((answer) => answer.status === wanted).length;
  expect([count(401), count(429)]).toEqual([triesAtMost, 30 - triesAtMost]);
  const code = await other.code(other.token('viewer'));
  const late = await send(code, '127.6.0.1');
  expect([late.status, /retry-after: \d+/i.test(late.text)]).toEqual([429, true]);
  expect((await send(code, '127.6.0.2')).status).toBe(200);
});

test('A-123: who was removed is out, with every session; another goes on', async () => {
  const [gone, stays] = [door.token('operator', { name: 'gone' }), door.token('operator', { name: 'stays' })];
  const browsers = [await signIn(door, gone), await signIn(door, gone), await signIn(door, stays)];
  door.remove(gone);
  const told = browsers.map(async ({ look }) => (await door.fetch(status, { headers: look })).status);
  expect(await Promise.all(told)).toEqual([401, 401, 200]);
});

test('A-123: a session of another gateway does not count here', async () => {
  await using other = await startHttpGateway();
  const foreign = await signIn(other, other.token('admin'));
  const id = foreign.cookie.split('=')[1];
  expect((await other.fetch(status, { headers: foreign.look })).status).toBe(200);
  for (const name of [`clawrden-${other.port}`, `clawrden-${door.port}`])
    expect((await door.fetch(status, { headers: { cookie: `${name}=${id}` } })).status).toBe(401);
});

test('A-123: a session counts in its cookie and nowhere else', async () => {
  const browser = await signIn(door, door.token('operator'));
  const [name = '', id = ''] = browser.cookie.split('=');
  const asked = async (target: string, headers: Record<string, string> = {}) =>
    (await door.fetch(target, { headers })).status;
  for (const target of [
    `${status}?${browser.cookie}`,
    `${status}?session=${id}`,
    `${status}?code=${id}`,
    `/${id}`,
  ])
    expect([target, [401, 404].includes(await asked(target))]).toEqual([target, true]);
  for (const headers of [
    { authorization: `Bearer ${id}` },
    { cookie: `session=${id}` },
    { cookie: `__Host-clawrden=${id}` },
    { cookie: `${name.toUpperCase()}=${id}` },
    { cookie: `${name} =${id}` },
    { cookie: `${name}="${id}"` },
    { cookie: `x${browser.cookie}` },
    { cookie: id },
    { 'x-session': id },
    { cookie2: browser.cookie },
  ] as Record<string, string>[])
    expect([headers, await asked(status, headers)]).toEqual([headers, 401]);
  for (const cookie of [browser.cookie, `a=b; ${browser.cookie};`, `${browser.cookie}; theme=dark;x`])
    expect([cookie, await asked(status, { cookie })]).toEqual([cookie, 200]);
  expect(door.log.join('')).not.toContain(id);
});

test('A-123: two cookies of the name, or a cookie and a token, are refused', async () => {
  const [browser, other] = [
    await signIn(door, door.token('viewer')),
    await signIn(door, door.token('viewer')),
  ];
  const asked = async (headers: Record<string, string>) => (await door.fetch(status, { headers })).status;
  for (const cookie of [
    `${browser.cookie}; ${other.cookie}`,
    `${browser.cookie}; ${browser.cookie}`,
    `clawrden-${door.port}=; ${browser.cookie}`,
  ])
    expect([cookie, await asked({ cookie })]).toEqual([cookie, 400]);
  const authorization = `Bearer ${door.token('viewer')}`;
  expect(await asked({ authorization, cookie: browser.cookie })).toBe(400);
  expect(await asked({ authorization: 'Basic eDp5', cookie: browser.cookie })).toBe(400);
  expect([await asked({ authorization }), await asked({ cookie: browser.cookie })]).toEqual([200, 200]);
  expect(await asked({ authorization, cookie: 'other=1' })).toBe(200);
});

test('where the door is https the cookie is Secure and of this host alone', async () => {
  const trustProxy = [{ address: '127.0.0.1', prefix: 32, family: 'ipv4' as const }];
  const listen = { host: '127.0.0.1', port: 0 };
  await using behind = await startHttpGateway({
    http: { listen, url: 'https://warden.example', trustProxy },
  });
  const code = await behind.code(behind.token('viewer'));
  const body = JSON.stringify({ code });
  const send = async (lines: readonly string[], method = 'GET', text = '') => {
    const own = ['host: upstream', 'x-forwarded-host: warden.example', 'x-forwarded-proto: https'];
    return await rawHttp(
      behind.port,
      requestText(method === 'GET' ? status : path, [...own, ...lines], method, text),
    );
  };
  const own = ['content-type: application/json', `content-length: ${body.length}`];
  expect((await send([...own, 'origin: https://other.example'], 'POST', body)).status).toBe(403);
  const { status: told, text } = await send([...own, 'origin: https://warden.example'], 'POST', body);
  const [, id] =
    /set-cookie: __Host-clawrden=([\w-]{43}); Path=\/; HttpOnly; SameSite=Strict; Secure\r/i.exec(text) ?? [];
  expect([told, id?.length]).toEqual([200, 43]);
  expect((await send([`cookie: __Host-clawrden=${id}`])).status).toBe(200);
  for (const name of [`clawrden-${behind.port}`, 'clawrden-443', '__Secure-clawrden'])
    expect([name, (await send([`cookie: ${name}=${id}`])).status]).toEqual([name, 401]);
});
