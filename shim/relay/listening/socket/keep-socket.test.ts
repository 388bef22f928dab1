import { lstat, mkdir, mkdtemp, rename, rm, unlink, writeFile } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type KeptSocket, keepSocket } from './keep-socket.ts';

let dir: string;
let path: string;
let server: Server;
let kept: KeptSocket;
const told: string[] = [];

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'clawrden-kept-'));
  path = join(dir, 'sockets/coder/warden.sock');
  told.length = 0;
  server = createServer((socket) => socket.end('ours'));
  kept = await keepSocket(
    server,
    path,
    () => {},
    (text) => told.push(text),
  );
});

afterEach(async () => {
  await kept.close();
  await rm(dir, { recursive: true });
});

const answer = () =>
  new Promise<string>((resolve) => {
    let heard = '';
    connect(path)
      .on('data', (chunk) => {
        heard += chunk.toString();
      })
      .on('close', () => resolve(heard))
      .on('error', () => {});
  });

const losses: Readonly<Record<string, () => Promise<void>>> = {
  removed: () => unlink(path),
  'replaced by a dead socket': async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(`${path}.other`, resolve));
    await rename(`${path}.other`, path);
    other.close();
  },
  'gone with its folder': () => rm(dirname(path), { recursive: true }),
  'moved away with its folder': () => rename(dirname(path), join(dir, 'sockets/aside')),
};

test.each(Object.keys(losses))('A-91: a socket that is %s is made anew within seconds', async (how) => {
  await losses[how]?.();
  await vi.waitUntil(async () => (await answer()) === 'ours', { timeout: 60_000, interval: 50 });
  await vi.waitUntil(() => told.length > 0);
  expect(told).toEqual([`the socket ${path} was removed or replaced, and was made again`]);
  expect((await lstat(path)).mode & 0o777).toBe(0o666);
});

test('A-91: what is not ours is left, told once, and the socket comes back when it goes', async () => {
  await unlink(path);
  await writeFile(path, 'precious');
  await vi.waitUntil(() => told.length > 0, { timeout: 60_000 });
  // The next check, a second later, has nothing new to report.
  await new Promise((resolve) => setTimeout(resolve, 1500));
  expect(told).toEqual([
    `the socket ${path} was removed or replaced; nothing is served there: ${path} is there and is not a socket; remove it`,
  ]);
  await rm(path);
  await vi.waitUntil(async () => (await answer()) === 'ours', { timeout: 60_000, interval: 50 });
  await vi.waitUntil(() => told.length > 1);
  expect(told[1]).toBe(`the socket ${path} was made again`);
});

test('a socket that is left alone is left alone', async () => {
  const { ino } = await lstat(path);
  await mkdir(join(dirname(path), 'beside'));
  // It takes one check, a second later, to see that nothing happens.
  await new Promise((resolve) => setTimeout(resolve, 1300));
  expect((await lstat(path)).ino).toBe(ino);
  expect(told).toEqual([]);
  await kept.close();
  await expect(lstat(path)).rejects.toThrow('ENOENT');
});
