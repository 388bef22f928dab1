import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { chmod, lstat, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listenAt } from './socket-file.ts';

let dir: string;
let path: string;
const servers: Server[] = [];

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'clawrden-socket-'));
  path = join(dir, 'sockets/coder/warden.sock');
});

afterEach(async () => {
  for (const server of servers.splice(0)) server.close();
  await rm(dir, { recursive: true });
});

function newServer(): Server {
  const server = createServer((socket) => socket.end());
  servers.push(server);
  return server;
}

const modeOf = async (file: string) => (await lstat(file)).mode & 0o777;

test('anyone may use the socket who can see it, and its parent only this user may enter', async () => {
  await listenAt(newServer(), path, () => {});
  expect(await modeOf(path)).toBe(0o666);
  expect(await modeOf(dirname(path))).toBe(0o755);
  expect(await modeOf(dirname(dirname(path)))).toBe(0o700);
});

test('a stale socket is replaced, and the directory stays the one that is mounted', async () => {
  const old = newServer();
  await listenAt(old, path, () => {});
  const { ino } = await lstat(dirname(path));
  old.close();
  await listenAt(newServer(), path, () => {});
  expect((await lstat(dirname(path))).ino).toBe(ino);
  const client = connect(path).resume();
  await once(client, 'end');
});

test('a socket that somebody serves is not taken from them', async () => {
  await listenAt(newServer(), path, () => {});
  await expect(listenAt(newServer(), path, () => {})).rejects.toThrow('another relay serves');
});

test('what is no socket is not removed', async () => {
  await mkdir(dirname(path), { recursive: true });
  await chmod(join(dir, 'sockets'), 0o700);
  await writeFile(path, 'precious');
  await expect(listenAt(newServer(), path, () => {})).rejects.toThrow('is not a socket');
  await rm(path);
  await symlink('/etc/passwd', path);
  await expect(listenAt(newServer(), path, () => {})).rejects.toThrow('is not a socket');
});

test('a parent that others may enter is refused', async () => {
  await mkdir(join(dir, 'sockets'), { mode: 0o755 });
  await expect(listenAt(newServer(), path, () => {})).rejects.toThrow('others may enter');
});

test('removing takes away this socket and not that of a successor', async () => {
  const first = newServer();
  const { remove } = await listenAt(first, path, () => {});
  first.close();
  await listenAt(newServer(), path, () => {});
  await remove();
  expect((await lstat(path)).isSocket()).toBe(true);
});

test('a server whose socket cannot be put at its place listens no more, and leaves nothing behind', async () => {
  const server = newServer();
  // Between the look at the place and the rename to it.
  server.once('listening', () => mkdirSync(path));
  await expect(listenAt(server, path, () => {})).rejects.toThrow('EISDIR');
  expect(server.listening).toBe(false);
  expect(await readdir(dirname(path))).toEqual(['warden.sock']);
  await rm(path, { recursive: true });
  await listenAt(server, path, () => {});
  expect(server.listening).toBe(true);
});
