import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dashboardPages } from '../../gateway/http/browser/dashboard-pages.ts';
import { type HttpGateway, startHttpGateway } from './http-gateway.ts';
import { rawHttp, requestText } from './raw-http.ts';

let [door, folder]: [HttpGateway | undefined, string] = [undefined, ''];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'clawrden-built-'));
  await mkdir(join(folder, 'assets'));
  await writeFile(join(folder, 'index.html'), '<!doctype html><title>shell</title>');
  await writeFile(join(folder, 'assets/main-1a2b.js'), 'export {};');
  await writeFile(join(folder, 'assets/notes.txt'), 'no page needs it');
  await writeFile(join(folder, 'secret.html'), 'no page');
  await writeFile(join(folder, 'terminal.html'), '<!doctype html><title>shell</title>');
  door = await startHttpGateway({ dashboard: folder });
});
afterAll(async () => {
  await door?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const own = ['script', 'style', 'connect', 'img', 'frame'].map((what) => `${what}-src 'self'`).join('; ');
const shell = `default-src 'none'; ${own}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
const terminal =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";
const paths = dashboardPages
  .flatMap((page) => page.paths.map((path) => path.replace(/:\w+/, 'x-1')))
  .map((path) => [path, path === '/terminal' ? terminal : shell] as const);
const link = ['Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: document'];
const get = (path: string, lines: readonly string[]) =>
  rawHttp(door!.port, requestText(path, [`Host: 127.0.0.1:${door!.port}`, ...lines]));

const pageHeaders = [
  'cache-control: no-store',
  'content-type: text/html; charset=utf-8',
  'x-content-type-options: nosniff',
  'cross-origin-opener-policy: same-origin',
  'referrer-policy: no-referrer',
];

test.each(paths)(
  'a link from elsewhere to %s opens the shell, without a cookie, and nobody keeps it',
  async (path, policy) => {
    const { status, text } = await get(path, link);
    expect([status, text.slice(text.indexOf('<'))]).toEqual([200, '<!doctype html><title>shell</title>']);
    expect(text.split('\r\n')).toEqual(
      expect.arrayContaining([...pageHeaders, `content-security-policy: ${policy}`]),
    );
    expect(text.toLowerCase()).not.toContain('set-cookie');
  },
);

test('a hashed file is kept for ever, and packed for who takes it', async () => {
  const answer = await door!.fetch('/assets/main-1a2b.js');
  expect([answer.status, await answer.text()]).toEqual([200, 'export {};']);
  expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'; base-uri");
  const packed = (coding: string) => get('/assets/main-1a2b.js', [`Accept-Encoding: ${coding}`]);
  expect((await packed('br, gzip')).text).toContain('content-encoding: gzip');
  expect((await packed('gzip;q=0')).text).toMatch(/export \{\};$/);
});

test.each([
  '/secret.html',
  '/index.html',
  '/assets/notes.txt',
  '/assets/index.html',
  '/assets/x.js',
  '/a',
  '/live/x',
])('A-66: there is nothing at %s', async (path) => {
  const answer = await door!.fetch(path);
  expect([answer.status, await answer.text()]).toEqual([
    404,
    expect.stringContaining('nothing at this path'),
  ]);
});

test.each([
  ['/api/v1/status', link],
  ['/assets/main-1a2b.js', link],
  ['/waiting', ['Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: iframe']],
  ['/waiting', ['Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: no-cors', 'Sec-Fetch-Dest: document']],
  ['/waiting', [...link, 'Origin: https://evil.example']],
])('A-66: of another site only a link to a page leads to %s', async (path, lines) => {
  expect((await get(path, lines)).status).toBe(403);
});

test('a gateway whose dashboard is not built says how to build it', async () => {
  await using bare = await startHttpGateway({ dashboard: join(folder, 'nowhere') });
  const answer = await bare.fetch('/');
  expect([answer.status, await answer.text()]).toEqual([
    404,
    expect.stringContaining('scripts/bundle dashboard'),
  ]);
});
