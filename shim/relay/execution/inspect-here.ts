import { ClawrdenError, toClawrdenError } from '../../../src/errors.ts';
import type { Inspected } from '../../../src/gen/clawrden/v1/execution.ts';
import { inspectionOf } from '../../../src/init-client/init-plan.ts';
import { InitSession } from '../../../src/init-client/init-session.ts';
import { encodePlan } from '../../../src/init-client/plan-encoding.ts';
import type { Plan } from '../../../src/plan.ts';
import type { AgentEngine } from './agent-engine.ts';

const inspectTimeoutMs = 8_000;

export interface InspectOptions {
  readonly engine: AgentEngine;
  readonly container: string;
  readonly plan: Plan;
  readonly signal: AbortSignal;
}

/** Looks at what a plan's command would run, in the agent's container and as its user. Never rejects. */
export async function inspectHere({ plan, signal, ...where }: InspectOptions): Promise<Inspected> {
  const late = AbortSignal.timeout(inspectTimeoutMs);
  const cut = AbortSignal.any([signal, late]);
  try {
    return { operands: [...(await look(where, plan, cut))], reason: '', text: '' };
  } catch (error) {
    const { code, message } = late.aborted ? tooLate : toClawrdenError(error);
    return { operands: [], reason: code, text: message };
  }
}

const tooLate = new ClawrdenError(
  'start-timeout',
  `the scripts that it would run were not read within ${inspectTimeoutMs / 1000} s`,
);

async function look(
  { engine, container }: Pick<InspectOptions, 'engine' | 'container'>,
  plan: Plan,
  cut: AbortSignal,
): Promise<readonly string[]> {
  const { stream, explain } = await engine.startInit(container, plan, cut);
  const session = new InitSession(stream);
  const destroy = () => session.destroy();
  cut.addEventListener('abort', destroy, { once: true });
  if (cut.aborted) destroy();
  try {
    await session.ready().catch(async (error: unknown) => {
      throw new ClawrdenError('host-lost', (await explain()) || toClawrdenError(error).message);
    });
    return await session.inspect(encodePlan(inspectionOf(plan)));
  } finally {
    cut.removeEventListener('abort', destroy);
    destroy();
  }
}
