import { type CrumbPace, createCrumbBudgets } from '../../../src/crumb-budgets.ts';
import { type Principal, principalName } from '../../ports/principal.ts';

/** What the running commands of one agent may send, over all streams of one caller. */
export type MessageBudgets = (caller: Principal, agent: string) => CrumbPace;

/** The agent that the caller of a stream names, until it is checked. */
const mostBudgets = 10_000;
/** No agent has a longer one: such a call is refused, and its name is kept nowhere. */
const longestName = 63;

export function createMessageBudgets(): MessageBudgets {
  const paceOf = createCrumbBudgets(mostBudgets);
  return (caller, agent) => paceOf(`${principalName(caller)} ${agent.length <= longestName ? agent : ''}`);
}
