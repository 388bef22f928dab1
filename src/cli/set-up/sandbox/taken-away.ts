import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Identity } from '../../../command.ts';
import { look } from './guarded.ts';
import { type HeldFolder, holdFolders } from './held-folder.ts';

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
 * each. A command of the agent in a ghost may put a link into the way at any moment: folders are held open, and what is
 * done in them is done with the agent's own rights.
 */
export async function takeAway(how: TakeAway): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const name of how.absent) {
    const line = await takeOne(name, how);
    if (line !== undefined) lines.push(line);
  }
  return lines;
}

/** Undefined if nothing is there. */
async function takeOne(name: string, how: TakeAway): Promise<string | undefined> {
  using folders = holdFolders(how.root);
  const parts = name.split('/');
  for (const [index, part] of parts.entries()) {
    const found = await look(folders.last.pathOf(part));
    if (found === undefined) return undefined;
    // A file or a link in place of a folder leads git elsewhere as well.
    if (index === parts.length - 1 || !folders.enter(part))
      return await take(part, parts.slice(0, index + 1).join('/'), folders.last, how);
  }
  return undefined;
}

/** First out of the way: at its name nothing is left, whatever becomes of the archive. */
async function take(part: string, name: string, folder: HeldFolder, { to, as }: TakeAway): Promise<string> {
  const stamp = `${new Date().toISOString().replaceAll(':', '')}-${randomBytes(3).toString('hex')}`;
  const aside = `${part}.guarded-${stamp}`;
  const archive = join(to, `${stamp}-${name.replaceAll('/', '-')}.tar`);
  const what = `${name} appeared in the workspace`;
  folder.makeWritable();
  if (!(await isDone(['mv', '-T', '--', part, aside], folder, as)))
    throw new Error(`${what} and could not be taken away; remove it, and start a sandbox again`);
  if (!(await isArchived(aside, folder, archive, as))) {
    await rm(archive, { force: true });
    return `${what}, and could not be archived whole; its name is ${aside} now`;
  }
  const isGone = await isDone(['rm', '-rf', '--', aside], folder, as);
  return `${what}; it is in ${archive} now${isGone ? '' : `, and also at ${aside}`}`;
}

/** False if it has more than is kept, or holds what may not be read. */
async function isArchived(
  name: string,
  folder: HeldFolder,
  archive: string,
  as: Identity | undefined,
): Promise<boolean> {
  const child = start(['tar', '-cf', '-', '--', name], folder, as, 'pipe');
  const ended = once(child, 'close') as Promise<[number | null]>;
  if (child.stdout === null) return false;
  try {
    await pipeline(
      child.stdout,
      atMost(mostBytes),
      createWriteStream(archive, { flags: 'wx', mode: 0o600, flush: true }),
    );
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

async function isDone(
  argv: readonly string[],
  folder: HeldFolder,
  as: Identity | undefined,
): Promise<boolean> {
  const [code] = (await once(start(argv, folder, as, 'ignore'), 'close')) as [number | null];
  return code === 0;
}

function start(
  [program = '', ...args]: readonly string[],
  { path }: HeldFolder,
  as: Identity | undefined,
  stdout: 'pipe' | 'ignore',
) {
  return spawn(`/usr/bin/${program}`, args, {
    ...{ cwd: path, timeout: mostMs, killSignal: 'SIGKILL', env: { PATH: '/usr/bin:/bin' } },
    stdio: ['ignore', stdout, 'ignore'],
    ...(as && { uid: as.uid, gid: as.gid }),
  });
}
