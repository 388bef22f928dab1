import type { Found } from '../../src/init-client/plan-operands.ts';
import type { Outcome } from '../../src/outcome.ts';
import type { Operand } from '../../src/plan.ts';
import type { Permit } from '../approvals/permit.ts';
import type { Execution } from '../execution/execution.ts';
import type { SealedPlan } from '../judging/seal-plan.ts';

/**
 * Runs a permit to its outcome. If it cannot reach an outcome it throws a ClawrdenError, for example the signal's
 * reason.
 */
export type Executor = (permit: Permit, execution: Execution) => Promise<Outcome>;

/**
 * Inspects the files that a plan's command would run, in the place where it would run, and runs none of them.
 * Resolves with what an init found for each. Throws like an Executor.
 */
export type Inspector = (sealed: SealedPlan, execution: Execution) => Promise<Found>;

/** Called when the tool runs, with the operands that it got. */
export type RecordStart = (execution: Execution, operands: readonly Operand[]) => void;
