import type { Stats } from 'node:fs';
import { chmod, lstat, mkdir, rename, rm, unlink } from 'node:fs/promises';
import { connect, type Server } from 'node:net';
import { dirname, join } from 'node:path';

const probeTimeoutMs = 1000;

/** A socket at a path. */
export interface SocketFile {
  /** Whether the path still leads to it. */
  readonly isThere: () => Promise<boolean>;
  /** Removes it, if it is there. */
  readonly remove: () => Promise<void>;
}

/**
 * Makes `server` listen at `path`, mode 0666, in its own directory (0755) under a directory that only this user may
 * enter (0700); creates both if they are missing. Replaces a stale socket in one step, so that a client never finds
 * one to which it may not connect. `guard` has the listening server before anybody can find it. Rejects with a line for
 * people.
 */
export async function listenAt(
  server: Server,
  path: string,
  guard: (server: Server) => void,
): Promise<SocketFile> {
  await makeDirectories(path);
  await checkUnused(path);
  // No longer than the path itself, which may be as long as the kernel takes.
  const fresh = join(dirname(path), '~');
  await rm(fresh, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(fresh, () => {
      server.off('error', reject);
      resolve();
    });
  });
  guard(server);
  const { dev, ino } = await show(fresh, path).catch(async (error) => {
    // Nobody can find it.
    await new Promise((resolve) => server.close(resolve));
    throw error;
  });
  const isThere = async () => {
    const there = await lstat(path).catch(() => undefined);
    return there?.ino === ino && there.dev === dev;
  };
  const remove = async () => {
    if (await isThere()) await unlink(path).catch(ignore('ENOENT'));
  };
  return { isThere, remove };
}

/** The socket itself: while it is open, no other file gets its number. */
async function show(fresh: string, path: string): Promise<Stats> {
  await chmod(fresh, 0o666);
  const itself = await lstat(fresh);
  await rename(fresh, path);
  return itself;
}

async function makeDirectories(path: string): Promise<void> {
  const directory = dirname(path);
  const parent = dirname(directory);
  await mkdir(parent, { recursive: true, mode: 0o700 });
  await mkdir(directory, { mode: 0o755 }).catch(ignore('EEXIST'));
  await chmod(directory, 0o755);
  const { mode, uid } = await lstat(parent);
  if ((mode & 0o077) !== 0 || uid !== process.geteuid?.()) {
    throw new Error(`others may enter ${parent}; choose a socket two levels below a directory of mode 0700`);
  }
}

async function checkUnused(path: string): Promise<void> {
  const there = await lstat(path).catch(ignore('ENOENT'));
  if (there === undefined) return;
  if (!there.isSocket()) throw new Error(`${path} is there and is not a socket; remove it`);
  if (await answers(path)) throw new Error(`another relay serves ${path}; stop it first`);
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const settle = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(probeTimeoutMs, () => settle(true));
    socket.on('connect', () => settle(true)).on('error', () => settle(false));
  });
}

function ignore(code: string): (error: NodeJS.ErrnoException) => undefined {
  return (error) => {
    if (error.code !== code) throw error;
    return undefined;
  };
}
