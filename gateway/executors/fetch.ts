import { deadline } from '../../src/abort.ts';
import { ClawrdenError } from '../../src/errors.ts';
import type { Outcome } from '../../src/outcome.ts';
import type { Plan } from '../../src/plan.ts';
import type { Decision } from '../../src/policy/policy.ts';
import { renderArgument } from '../../src/text/render-text.ts';
import type { Execution } from '../execution/execution.ts';
import { answerFetch } from '../fetch/answer-fetch.ts';
import { createFetchRoom } from '../fetch/fetch-room.ts';
import type { SealedPlan } from '../judging/seal-plan.ts';
import type { Reaching } from '../ports/reaching.ts';
import type { Executor, Inspector, RecordStart } from './executor.ts';
import { travellerOf } from './traveller-of.ts';
import { writeOut } from './write-out.ts';

export interface FetchExecutorParts {
  readonly reaching: Reaching;
  /** Where a page leads to is judged like a line of the agent's. */
  readonly decideAgain: (plan: Plan) => Decision;
  readonly recordStart: RecordStart;
}

/** The gateway gets the page by itself: nothing is started anywhere. */
export function createFetch(parts: FetchExecutorParts): Executor {
  const room = createFetchRoom();
  return async ({ sealed }, execution) => {
    const { agent, timeoutMs } = sealed.plan;
    const late = () => new ClawrdenError('run-timeout', `it took longer than ${timeoutMs / 1000} s`);
    using place = new DisposableStack();
    const { signal } = place.use(deadline(timeoutMs || Number.POSITIVE_INFINITY, late, execution.signal));
    place.defer(await room.enter(agent, signal));
    const taken = place.move();
    return async () => {
      using _ = taken;
      return await run(sealed, execution, parts, signal);
    };
  };
}

/** It runs no script. */
export const inspectFetch: Inspector = () => Promise.resolve({ found: new Map(), host: '' });

async function run(
  { plan }: SealedPlan,
  execution: Execution,
  { reaching, decideAgain, recordStart }: FetchExecutorParts,
  signal: AbortSignal,
): Promise<Outcome> {
  signal.throwIfAborted();
  execution.started();
  recordStart(execution, []);
  void execution.send({ type: 'started', host: '', container: '' });
  const { stdout, lines, code } = await answerFetch({
    ...{ plan, reach: plan.reach, reaching },
    decideAgain: (next) => decideAgain({ ...next, cwd: execution.record.cwd }),
    traveller: travellerOf(execution, plan.agent, { signal }),
    usual: isForModel(execution) ? 'text' : 'raw',
  });
  const [tool = ''] = plan.argv;
  const told = lines.map((line) => `${renderArgument(tool)}: ${line}\n`).join('');
  await writeOut(execution, 'stdout', stdout, signal);
  await writeOut(execution, 'stderr', Buffer.from(told), signal);
  return { kind: 'exited', code, signal: 0 };
}

/** An agent that asks by itself, over MCP or HTTP, and not a shell's user behind a relay. */
function isForModel({ record }: Execution): boolean {
  return record.caller.startsWith('agent:');
}
