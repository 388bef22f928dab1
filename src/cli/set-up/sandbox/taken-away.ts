import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Identity } from '../../../command.ts';
import { look, pathsTo } from './guarded.ts';

const mostBytes = 64 * 1024 ** 2;
const mostMs = 60_000;

export interface TakeAway {
  readonly root: string;
  /** Names where nothing was. */
  readonly absent: readonly string[];
  /** Folder that only the relay's user enters. */
  readonly to: string;
  /** As whom files of the workspace are read and removed; absent: as this process. */
  readonly as: Identity | undefined;
}

/**
 * Takes what appeared under guarded names out of the workspace, each into an archive of its own. Resolves with a line for
 * each. Reading and removing are done with the agent's own rights: a command of it in a ghost may put a link into the way
 * at any moment, and it can lead to nothing but what the agent may read and remove anyway.
 */
export async function takeAway(how: TakeAway): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const name of await appeared(how)) lines.push(await takeOne(name, how));
  return lines;
}

async function appeared({ root, absent }: TakeAway): Promise<readonly string[]> {
  const names = await Promise.all(
    absent.map(async (name) => {
      for (const path of pathsTo(name)) {
        const found = await look(join(root, path));
        if (found === undefined) return [];
        // A file or a link in place of a folder leads git elsewhere as well.
        if (path === name || !found.isDirectory()) return [path];
      }
      return [];
    }),
  );
  return [...new Set(names.flat())];
}

async function takeOne(name: string, { root, to, as }: TakeAway): Promise<string> {
  const stamp = `${new Date().toISOString().replaceAll(':', '')}-${randomBytes(3).toString('hex')}`;
  const archive = join(to, `${stamp}-${name.replaceAll('/', '-')}.tar`);
  if (await isArchived(name, root, archive, as)) return `${name} appeared in the workspace; it is in ${archive} now`;
  await rm(archive, { force: true });
  const aside = `${name}.guarded-${stamp}`;
  const moved = await statusOf(['mv', '-T', '--', name, aside], root, as);
  if (moved !== 0) throw new Error(`${name} appeared in the workspace and could not be taken away`);
  return `${name} appeared in the workspace, and could not be archived whole; its name is ${aside} now`;
}

/** False if it has more than is kept, holds what no archive has (a socket), or may not be removed. */
async function isArchived(
  name: string,
  root: string,
  archive: string,
  as: Identity | undefined,
): Promise<boolean> {
  const child = start(['tar', '--remove-files', '-cf', '-', '--', name], root, as, 'pipe');
  const ended = once(child, 'close') as Promise<[number | null]>;
  if (child.stdout === null) return false;
  try {
    await pipeline(child.stdout, atMost(mostBytes), createWriteStream(archive, { flags: 'wx', mode: 0o600 }));
  } catch {
    child.kill('SIGKILL');
  }
  const [code] = await ended;
  return code === 0;
}

function atMost(bytes: number): Transform {
  let seen = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      seen += chunk.length;
      if (seen > bytes) done(new Error('too much'));
      else done(null, chunk);
    },
  });
}

async function statusOf(argv: readonly string[], cwd: string, as: Identity | undefined): Promise<number | null> {
  const [code] = (await once(start(argv, cwd, as, 'ignore'), 'close')) as [number | null];
  return code;
}

function start(
  [program = '', ...args]: readonly string[],
  cwd: string,
  as: Identity | undefined,
  stdout: 'pipe' | 'ignore',
) {
  return spawn(`/usr/bin/${program}`, args, {
    ...{ cwd, timeout: mostMs, killSignal: 'SIGKILL', env: { PATH: '/usr/bin:/bin' } },
    stdio: ['ignore', stdout, 'ignore'],
    ...(as && { uid: as.uid, gid: as.gid }),
  });
}
