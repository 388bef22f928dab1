import type { Refused } from '../../src/carrier-client/exchange-frames.ts';
import type { KeptPath } from '../ports/workspace-view.ts';

/** The files of an exchange that were not applied, or that made room. The root alone is no file. */
export function keptPaths(refused: readonly Refused[]): KeptPath[] {
  return refused.flatMap(({ path, why, kept = '' }) =>
    path.length === 0 || why === 'unstable'
      ? []
      : [{ path, whose: why === 'replaced' ? ('agent' as const) : ('tool' as const), kept }],
  );
}
