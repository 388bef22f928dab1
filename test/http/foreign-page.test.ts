import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Chromium, hasChromium, startChromium, type Tab } from './chromium.ts';
import { type SpiedDoor, startSpiedDoor } from './spied-door.ts';

let spied: SpiedDoor;
let evil: Server;
let chromium: Chromium;
let own: Tab;
let csrf: string;
beforeAll(async () => {
  if (!hasChromium) return;
  // The pages of a browser are slower than what the door lets the other tests wait for.
  const pace = { headersMs: 20_000, requestMs: 30_000, idleMs: 15_000, takenMs: 20_000, stalledMs: 20_000 };
  spied = await startSpiedDoor({ pace });
  evil = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end('<!doctype html><title>evil</title><body></body>');
  });
  evil.listen(0, '127.0.0.1');
  await once(evil, 'listening');
  chromium = await startChromium();
  own = await chromium.open(`${spied.door.url}/healthz`);
  const code = await spied.door.code(spied.token);
  csrf = String(
    await own.run(`${ask('/api/v1/session', 'POST', { code })}.then((answer) => answer.body.csrfToken)`),
  );
});
afterAll(async () => {
  await chromium?.[Symbol.asyncDispose]();
  evil?.closeAllConnections();
  evil?.close();
  await spied?.[Symbol.asyncDispose]();
});
beforeEach(() => void spied?.acts());

/** Status and body of what the page fetches, or `failed`. */
function ask(
  path: string,
  method: string,
  body: object | undefined,
  headers: object = {},
  mode = 'cors',
): string {
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const init = {
    ...{ method, mode, credentials: 'include', headers: { ...type, ...headers } },
    ...(body && { body: JSON.stringify(body) }),
  };
  const url = JSON.stringify(`${spied.door.url}${path}`);
  const read = 'async (answer) => ({ status: answer.status, body: await answer.json().catch(() => null) })';
  return `fetch(${url}, ${JSON.stringify(init)}).then(${read}, () => 'failed')`;
}

const lockdown = { on: true, reason: 'evil' };
const evilAt = (host: string) => `http://${host}:${(evil.address() as AddressInfo).port}/`;

// A cookie of 127.0.0.1 is for all its ports, and to SameSite these are one site: the browser sends it along.
test.skipIf(!hasChromium).each(['127.0.0.1', 'localhost'])(
  'A-124: a page of http://%s at another port reads and changes nothing with the cookie of who is signed in',
  async (host) => {
    const page = await chromium.open(evilAt(host));
    const put = { 'x-clawrden-csrf': csrf };
    expect(await page.run(ask('/api/v1/agents', 'GET', undefined))).toBe('failed');
    expect(await page.run(ask('/api/v1/session', 'GET', undefined))).toBe('failed');
    expect(await page.run(ask('/api/v1/events', 'GET', undefined))).toBe('failed');
    // Even if it knew the token.
    expect(await page.run(ask('/api/v1/lockdown', 'PUT', lockdown, put))).toBe('failed');
    const blind = ask('/api/v1/policy/explain', 'POST', { agent: '', tool: 'x', args: [] }, {}, 'no-cors');
    expect(await page.run(blind)).toBe('failed');
    expect(await page.run(formsAndTags())).toBe('sent');
    expect(await page.run(framed())).toBe('nothing to read');
    expect(await page.run(socket())).toBe('closed');
    expect(spied.acts()).toEqual([]);
    // The same from a page of the door.
    expect(await own.run(ask('/api/v1/agents', 'GET', undefined))).toMatchObject({ status: 200 });
    expect(await own.run(ask('/api/v1/lockdown', 'PUT', lockdown, put))).toMatchObject({ status: 200 });
    expect(spied.acts()).toEqual(['agents', 'setLockdown']);
  },
  120_000,
);

test.skipIf(!hasChromium)('a page of the door needs the token, and cannot read the cookie', async () => {
  expect(await own.run('document.cookie')).toBe('');
  expect(await own.run(ask('/api/v1/lockdown', 'PUT', lockdown))).toMatchObject({ status: 403 });
  expect(await own.run(ask('/api/v1/lockdown', 'PUT', lockdown, { 'x-clawrden-csrf': csrf }))).toMatchObject({
    status: 200,
  });
});

/** Forms of every type, beacons, images, scripts and styles; resolves when all have been sent. */
function formsAndTags(): string {
  return `(async () => {
    const url = ${JSON.stringify(spied.door.url)};
    const wait = [];
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data'])
      for (const method of ['post', 'get']) {
        const [frame, form, field] = ['iframe', 'form', 'input'].map((tag) => document.createElement(tag));
        frame.name = type + method;
        Object.assign(form, { action: url + '/api/v1/policy/explain', method, enctype: type, target: frame.name });
        Object.assign(field, { name: '{"agent":"","tool":"x","args":[],"cwd":"', value: '"}' });
        form.append(field);
        document.body.append(frame, form);
        wait.push(new Promise((resolve) => frame.addEventListener('load', resolve)));
        form.submit();
      }
    for (const tag of ['img', 'script', 'iframe']) {
      const element = document.createElement(tag);
      element.src = url + '/api/v1/agents';
      wait.push(new Promise((resolve) => { element.onload = resolve; element.onerror = resolve; }));
      document.body.append(element);
    }
    navigator.sendBeacon(url + '/api/v1/policy/explain', '{"agent":"","tool":"x","args":[]}');
    await Promise.race([Promise.all(wait), new Promise((resolve) => setTimeout(resolve, 2000))]);
    return 'sent';
  })()`;
}

function framed(): string {
  return `(async () => {
    const frame = document.createElement('iframe');
    const loaded = new Promise((resolve) => frame.addEventListener('load', resolve));
    frame.src = ${JSON.stringify(spied.door.url)} + '/api/v1/agents';
    document.body.append(frame);
    await loaded;
    try {
      return frame.contentWindow.document.body.textContent;
    } catch {
      return 'nothing to read';
    }
  })()`;
}

function socket(): string {
  const url = spied.door.url.replace('http:', 'ws:');
  return `new Promise((resolve) => {
    const socket = new WebSocket(${JSON.stringify(`${url}/api/v1/events`)});
    socket.onopen = () => resolve('open');
    socket.onerror = () => resolve('closed');
  })`;
}
