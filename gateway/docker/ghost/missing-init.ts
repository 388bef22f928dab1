import { engineText, statusOf } from '../engine/engine-errors.ts';
import { hostsFile, type InitVolume, initDirectory, initFile } from './create-body.ts';

/**
 * Whether the engine refused a container because the init's volume lacks its files: somebody pruned the volume, and
 * Docker made an empty one.
 */
export function tellsOfMissingInit(error: unknown, init: InitVolume): boolean {
  if (statusOf(error) === undefined) return false;
  const text = engineText(error);
  return text.includes(`${initDirectory}/${initFile}`) || text.includes(`${init.mountpoint}/${hostsFile}`);
}
