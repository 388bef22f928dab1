import type { Outcome } from '../../src/outcome.ts';
import type { Execution } from '../execution.ts';
import type { Permit } from '../permit.ts';

/** Runs a permit to its outcome. Throws ClawrdenErrors, the signal's reason among them, where it never came to one. */
export type Executor = (permit: Permit, execution: Execution) => Promise<Outcome>;
