import { realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { VolumeFinder } from '../execution/find-mountpoint.ts';
import type { HomeWish } from './home-wish.ts';

/** Folders on this host. */
export interface HomePlace {
  readonly root: string;
  /** Where the carrier's own files can be, the best place first. One that is `area-apart` gives way to the next. */
  readonly areas: readonly [string, ...string[]];
}

const longestName = 255;
const besideEnd = '.clawrden';

/** Rejects with a line for people. */
export async function findPlace(
  { kind, source }: Pick<HomeWish, 'kind' | 'source'>,
  engine: VolumeFinder,
  signal: AbortSignal,
): Promise<HomePlace> {
  const root = kind === 'bind' ? source : await volumeRoot(await engine.mountpoint(source, signal));
  // It is never carried, but the agent may delete it.
  const inside = join(root, '.clawrden');
  const beside = kind === 'bind' ? besideFolder(root) : join(dirname(root), 'clawrden');
  // Who is not root can neither make it nor hand it to the agent.
  const isPossible = process.geteuid?.() === 0 && Buffer.byteLength(basename(beside)) <= longestName;
  return { root, areas: isPossible ? [beside, inside] : [inside] };
}

/** Only root may change the way to a volume, so a link on it leads where the engine's own files are. */
async function volumeRoot(mountpoint: string): Promise<string> {
  return await realpath(mountpoint).catch(() => mountpoint);
}

/** A name of its own, so that workspaces beside each other do not share it. */
function besideFolder(root: string): string {
  return join(dirname(root), `.${basename(root)}${besideEnd}`);
}

/** Whether a path names, or leads through, a folder in which a carrier's own files may be. */
export function leadsToArea(path: string): boolean {
  // With a number, one that gave way to another user's.
  return path
    .split('/')
    .some((name) => name.startsWith('.') && name.replace(/-[1-8]$/, '').endsWith(besideEnd));
}
