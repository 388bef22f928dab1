import { type Found, operandsFound } from '../../src/init-client/plan-operands.ts';
import type { Strategy } from '../../src/plan.ts';
import type { Execution } from '../execution/execution.ts';
import type { Recorder } from '../execution/recorder.ts';
import type { Inspector } from '../executors/executor.ts';
import { type SealedPlan, withOperands } from '../judging/seal-plan.ts';

export interface InspectParts {
  readonly inspectors: Readonly<Record<Strategy, Inspector>>;
  readonly recorder: Recorder;
}

const noFiles: Found = new Map();

/**
 * The plan with the files that its command would run besides its tool: this is what a person is asked about. If the
 * command runs no such file, the same plan. Throws what an inspector throws, or the init's refusal.
 */
export async function inspected(
  sealed: SealedPlan,
  execution: Execution,
  { inspectors, recorder }: InspectParts,
): Promise<SealedPlan> {
  const { plan } = sealed;
  if (plan.scripts === undefined) return sealed;
  const hasFiles = plan.scripts.some((operand) => 'path' in operand);
  if (hasFiles) void execution.send({ type: 'notice', text: 'reading the scripts that it would run' });
  const found = hasFiles ? await inspectors[plan.strategy](sealed, execution) : noFiles;
  const seen = withOperands(sealed, operandsFound(plan, found));
  await recorder.inspected(execution, seen);
  return seen;
}
