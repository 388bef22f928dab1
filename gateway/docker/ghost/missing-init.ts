import { engineText, statusOf } from '../engine/engine-errors.ts';
import { hostsFile, type InitVolume, initDirectory, initFile } from './create-body.ts';

/**
 * Whether the engine refused a container because the init's volume does not hold what it should: somebody pruned it,
 * and Docker made an empty one in its place.
 */
export function tellsOfMissingInit(error: unknown, init: InitVolume): boolean {
  if (statusOf(error) === undefined) return false;
  const text = engineText(error);
  return text.includes(`${initDirectory}/${initFile}`) || text.includes(`${init.mountpoint}/${hostsFile}`);
}
