import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Identity } from '../../../src/command.ts';
import { besideEnd } from '../../../src/config/area-name.ts';
import type { VolumeFinder } from '../execution/find-mountpoint.ts';
import { containedRoot } from './contained-body.ts';
import type { HomeWish } from './home-wish.ts';

export interface HomePlace {
  /** The workspace, on this host. */
  readonly root: string;
  /** The same, as the carrier sees it. */
  readonly seen: string;
  /** Where the carrier's own files can be, the best place first. One that is `area-apart` gives way to the next. */
  readonly areas: readonly [string, ...string[]];
  /** The carrier has to be a container. */
  readonly contained: boolean;
}

const longestName = 255;

/** Rejects with a line for people. */
export async function findPlace(
  { kind, source, user }: Pick<HomeWish, 'kind' | 'source' | 'user'>,
  engine: VolumeFinder,
  signal: AbortSignal,
): Promise<HomePlace> {
  const contained = needsContainer(user);
  const root = kind === 'bind' ? source : await volumeRoot(await engine.mountpoint(source, signal));
  if (contained) {
    if (kind === 'bind') await checkFolder(source);
    return { root, seen: containedRoot, areas: [insideFolder(containedRoot)], contained };
  }
  const inside = insideFolder(root);
  const beside = kind === 'bind' ? besideFolder(root) : join(dirname(root), 'clawrden');
  // Who is not root can neither make it nor hand it to the agent.
  const isPossible = process.geteuid?.() === 0 && Buffer.byteLength(basename(beside)) <= longestName;
  return { root, seen: root, areas: isPossible ? [beside, inside] : [inside], contained };
}

/** Only root can become another user, and shut the carrier in. */
function needsContainer({ uid }: Identity): boolean {
  if (uid === 0) throw new Error('the workspace of root is never carried');
  const own = process.geteuid?.();
  return own !== 0 && own !== uid;
}

/** An engine says it in words of its own. */
async function checkFolder(path: string): Promise<void> {
  const there = await stat(path).catch((error: NodeJS.ErrnoException) => error);
  if ('code' in there && there.code === 'ENOENT')
    throw new Error('workspace-missing: there is no such folder');
}

/** It is never carried, but the agent may delete it. */
function insideFolder(root: string): string {
  return join(root, '.clawrden');
}

/** Only root may change the way to a volume, so a link on it leads where the engine's own files are. */
async function volumeRoot(mountpoint: string): Promise<string> {
  return await realpath(mountpoint).catch(() => mountpoint);
}

/** A name of its own, so that workspaces beside each other do not share it. */
function besideFolder(root: string): string {
  return join(dirname(root), `.${basename(root)}${besideEnd}`);
}
