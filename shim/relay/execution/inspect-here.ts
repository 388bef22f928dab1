import { deadline, onAbort } from '../../../src/abort.ts';
import type { AgentContainer } from '../../../src/agent-container.ts';
import { ClawrdenError, toClawrdenError } from '../../../src/errors.ts';
import type { Gate } from '../../../src/gate.ts';
import type { Inspected } from '../../../src/gen/clawrden/v1/execution.ts';
import { inspectionOf } from '../../../src/init-client/init-plan.ts';
import { InitSession } from '../../../src/init-client/init-session.ts';
import type { Found } from '../../../src/init-client/plan-operands.ts';
import type { Plan } from '../../../src/plan.ts';
import type { AgentEngine } from './agent-engine.ts';
import { toWireFound } from './wire-found.ts';

const inspectTimeoutMs = 8_000;

export interface InspectOptions {
  readonly engine: AgentEngine;
  /** Lets this agent's commands start; a look takes a place of them. */
  readonly starts: Gate;
  readonly container: AgentContainer;
  readonly plan: Plan;
  readonly signal: AbortSignal;
}

/** Inspects what a plan's command would run, in the agent's container as the command's user. Never rejects. */
export async function inspectHere({ plan, signal, starts, ...where }: InspectOptions): Promise<Inspected> {
  using late = deadline(inspectTimeoutMs, () => tooLate, signal);
  const cut = late.signal;
  try {
    return {
      found: toWireFound(await starts.through(cut, () => look(where, plan, cut))),
      reason: '',
      text: '',
    };
  } catch (error) {
    const { code, message } = toClawrdenError(cut.aborted ? cut.reason : error);
    return { found: [], reason: code, text: message };
  }
}

const tooLate = new ClawrdenError(
  'start-timeout',
  `the scripts that it would run were not read within ${inspectTimeoutMs / 1000} s`,
);

const nothingNamed = 'the gateway named no script to look at: upgrade it before its relays';

async function look(
  { engine, container }: Pick<InspectOptions, 'engine' | 'container'>,
  plan: Plan,
  cut: AbortSignal,
): Promise<Found> {
  const orders = inspectionOf(plan);
  // A gateway of this release asks only for the files that its plan names.
  if (orders.operands.length === 0) throw new ClawrdenError('internal', nothingNamed);
  const { stream, explain } = await engine.startInit(container, plan, cut);
  const session = new InitSession(stream);
  const destroy = () => session.destroy();
  using _ = onAbort(cut, destroy);
  try {
    await session.ready().catch(async (error: unknown) => {
      throw new ClawrdenError('host-lost', (await explain()) || toClawrdenError(error).message);
    });
    return await session.inspect(orders);
  } finally {
    destroy();
  }
}
