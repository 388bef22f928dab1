import { createCrumbBudgets, crumbBytes } from '../../../src/crumb-budgets.ts';
import type { ExecuteRequest } from '../../../src/gen/clawrden/v1/execution.ts';
import { type Principal, principalName } from '../../ports/principal.ts';

type Message = NonNullable<ExecuteRequest['message']>;

/** For how many milliseconds nothing more is read from a stream that brought this message. */
export type WaitAfter = (message: Message) => number;

/** What the running commands of one agent may send, over all streams of one caller. */
export interface MessageBudgets {
  readonly of: (caller: Principal, agent: string) => WaitAfter;
}

/** The gateway notices the end of a stream only when it reads. */
const mostWaitMs = 5000;
/** The agent that the caller of a stream names, until it is checked. */
const mostBudgets = 10_000;
/** No agent has a longer one: such a call is refused, and its name is kept nowhere. */
const longestName = 63;

export function createMessageBudgets(): MessageBudgets {
  const budgetOf = createCrumbBudgets(mostBudgets);
  return {
    of: (caller, agent) => {
      const named = agent.length <= longestName ? agent : '';
      const pace = budgetOf(`${principalName(caller)} ${named}`);
      return (message) => Math.min(mostWaitMs, pace(isCrumb(message) ? 1 : 0));
    },
  };
}

function isCrumb(message: Message): boolean {
  const isData = message.$case === 'stdin' || message.$case === 'stdout' || message.$case === 'stderr';
  return !isData || message.value.length < crumbBytes;
}
