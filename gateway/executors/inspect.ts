import { operandsFound } from '../../src/init-client/plan-operands.ts';
import type { Strategy } from '../../src/plan.ts';
import type { Execution } from '../execution/execution.ts';
import type { Recorder } from '../execution/recorder.ts';
import type { Judged } from '../judging/judged.ts';
import { withOperands } from '../judging/seal-plan.ts';
import type { Inspection, Inspector } from './executor.ts';

export interface InspectParts {
  readonly inspectors: Readonly<Record<Strategy, Inspector>>;
  readonly recorder: Recorder;
}

const noFiles: Inspection = { found: new Map(), host: '' };

/**
 * Before a person is asked, an init looks at the scripts, and the plan says what they are. If the command runs no script,
 * or if nobody is asked, the same judgement. Throws what an inspector throws, or the init's refusal.
 */
export async function inspected(
  judged: Judged,
  execution: Execution,
  { inspectors, recorder }: InspectParts,
): Promise<Judged> {
  const { decision, sealed } = judged;
  if (decision.action !== 'ask' || sealed?.plan.scripts === undefined) return judged;
  const { plan } = sealed;
  const { scripts = [] } = plan;
  const hasFiles = scripts.some((operand) => 'path' in operand);
  if (hasFiles) void execution.send({ type: 'notice', text: 'reading the scripts that it would run' });
  const { found, host } = hasFiles ? await inspectors[plan.strategy](sealed, execution) : noFiles;
  const seen = withOperands(sealed, operandsFound(plan, found));
  await recorder.inspected(execution, seen, host);
  return { ...judged, sealed: seen, refusal: undefined };
}
