import { inject } from 'vitest';
import './global-setup.ts';
import { attachLab, type Lab } from './lab.ts';

/** False if tests that need engines must be skipped: `describe.skipIf(!hasLab())`. */
export function hasLab(): boolean {
  return inject('labs').length > 0;
}

/** The lab of this worker: two build hosts and the agents' host. Undo every fault; never stop it. */
export function sharedLab(): Lab {
  const description = inject('labs')[Number(process.env['VITEST_POOL_ID']) - 1];
  if (description === undefined)
    throw new Error('clawrden: lab: needs root for network namespaces; run it as root');
  return attachLab(description);
}
