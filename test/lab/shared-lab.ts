import { inject } from 'vitest';
import './global-setup.ts';
import { attachLab, type Lab } from './lab.ts';

/** False if tests that need engines must be skipped: `describe.skipIf(!hasLab())`. */
export function hasLab(): boolean {
  return inject('lab') !== null;
}

/** The lab of this test run: two build hosts and the agents' host. Undo every fault; never stop it. */
export function sharedLab(): Lab {
  const description = inject('lab');
  if (description === null)
    throw new Error('clawrden: lab: needs root for network namespaces; run it as root');
  return attachLab(description);
}
