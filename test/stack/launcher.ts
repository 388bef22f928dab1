import { join } from 'node:path';
import { packageRoot } from '../../src/package-root.ts';

const bundle = join(packageRoot(), 'build/programs');

/** What `clawrden` on a PATH is linked to, and the relay's program, as they are shipped: `scripts/bundle programs`. */
export const launcher = join(bundle, 'src/cli/launcher.cjs');
export const relayProgram = join(bundle, 'shim/relay/main.js');
