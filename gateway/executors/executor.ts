import type { Found } from '../../src/init-client/plan-operands.ts';
import type { Outcome } from '../../src/outcome.ts';
import type { Operand } from '../../src/plan.ts';
import type { Permit } from '../approvals/permit.ts';
import type { Execution } from '../execution/execution.ts';
import type { SealedPlan } from '../judging/seal-plan.ts';

/** Runs a permit to its outcome. Throws ClawrdenErrors, the signal's reason among them, where it never came to one. */
export type Executor = (permit: Permit, execution: Execution) => Promise<Outcome>;

/**
 * Looks at the files that a plan's command would run, where it would run, and runs nothing of them: what an init
 * found of each. Throws as an Executor does.
 */
export type Inspector = (sealed: SealedPlan, execution: Execution) => Promise<Found>;

/** Called when the tool runs, with what it was given to run. */
export type RecordStart = (execution: Execution, operands: readonly Operand[]) => void;
