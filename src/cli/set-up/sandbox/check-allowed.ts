import { realpath, stat } from 'node:fs/promises';
import { ownPlaces } from '../../../config/own-places.ts';
import type { RelayConfig } from '../../../config/relay-config.ts';
import { isIn } from '../../../config/workspace-roots.ts';
import { messageOf } from '../doctor/finding.ts';
import { sandboxHome } from './bwrap-line.ts';
import { refuseSandbox } from './refuse-sandbox.ts';

/** A socket can be used through a read-only mount: engines, buses and agents for keys have theirs in `/run`. */
const closed = ['/proc', '/sys', '/dev', '/run', '/var/run', '/tmp', '/clawrden', sandboxHome];

/** Throws a line with the first path that may not be seen inside. */
export async function checkAllowed(
  paths: readonly string[],
  config: RelayConfig,
  target: string | undefined,
): Promise<void> {
  const kept = [...closed, ...(await ownPlaces(config)), ...(target === undefined ? [] : [target])];
  for (const path of paths) {
    const found = await Promise.all([realpath(path), stat(path)]).catch((error: unknown) => {
      throw refuseSandbox(`--allow ${path}: ${messageOf(error)}`, 'name a file or a folder that is there');
    });
    const [real, { mode }] = found;
    if (real !== path)
      throw refuseSandbox(`--allow ${path}: it leads to ${real}`, `name that, if it is meant`);
    const kind = mode & 0o170000;
    if (kind !== 0o040000 && kind !== 0o100000)
      throw refuseSandbox(`--allow ${path}: it is no file and no folder`, 'name one');
    const near = kept.find((place) => isIn(path, place) || isIn(place, path));
    if (near !== undefined)
      throw refuseSandbox(`--allow ${path}: it is, is in or holds ${near}`, 'name another path');
  }
}
