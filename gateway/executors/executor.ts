import type { Found } from '../../src/init-client/plan-operands.ts';
import type { Outcome } from '../../src/outcome.ts';
import type { Operand } from '../../src/plan.ts';
import type { Permit } from '../approvals/permit.ts';
import type { Execution } from '../execution/execution.ts';
import type { SealedPlan } from '../judging/seal-plan.ts';

/**
 * Takes the place that a permit's plan runs in, and waits for it if it must: for `ghost` a lease on a host with a ready
 * container in it; the other strategies run where their caller is. Throws ClawrdenErrors, the signal's reason among them.
 */
export type Executor = (permit: Permit, execution: Execution) => Run | Promise<Run>;

/**
 * Runs the permit's plan in that place to its outcome, once, and gives the place back. Runs nothing if the execution was
 * stopped meanwhile. Throws as an Executor does.
 */
export type Run = () => Promise<Outcome>;

/**
 * Inspects the files that a plan's command would run, in the place where it would run, and runs none of them.
 * Resolves with what an init found for each. Throws like an Executor.
 */
export type Inspector = (sealed: SealedPlan, execution: Execution) => Promise<Inspection>;

export interface Inspection {
  readonly found: Found;
  /** Where an init looked: the host says what was found. Empty if nobody looked. */
  readonly host: string;
}

/** Called when the tool runs, with the operands that it got. */
export type RecordStart = (execution: Execution, operands: readonly Operand[]) => void;
