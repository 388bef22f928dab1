import type { GatewayLimits } from '../../src/config/gateway-config.ts';
import { ClawrdenError } from '../../src/errors.ts';
import { weightOf } from '../../src/request-weight.ts';
import { type TokenBucket, tokenBucket } from '../../src/token-bucket.ts';
import type { StartRequest } from '../ports/channel.ts';
import { type Principal, principalName } from '../ports/principal.ts';

/** What each agent may ask for in a second, over all callers. A caller without an agent has its own budget. */
export interface Budgets {
  /** Called before any other work for a request; throws `rate-limit` if it is one too many. */
  readonly charge: (caller: Principal, request: StartRequest) => void;
  /** So many bytes are recorded for it: what its agent asks for next waits the longer. */
  readonly chargeRecords: (caller: Principal, request: StartRequest, bytes: number) => void;
}

interface Budget {
  readonly requests: TokenBucket;
  readonly bytes: TokenBucket;
}

/** One budget for each caller and agent of gateway.yaml: an invented name gets no budget. */
export function createBudgets(
  { requestsPerSecond, bytesPerSecond }: GatewayLimits,
  now: () => number = () => performance.now(),
): Budgets {
  const budgets = new Map<string, Budget>();

  function budgetOf(caller: Principal, agent: string): Budget {
    const key = `${principalName(caller)} ${agent}`;
    const known = budgets.get(key);
    const budget = known ?? {
      requests: tokenBucket(requestsPerSecond, now),
      bytes: tokenBucket(bytesPerSecond, now),
    };
    if (known === undefined) budgets.set(key, budget);
    return budget;
  }

  return {
    chargeRecords: (caller, { agent }, size) => budgetOf(caller, agent).bytes.owe(size),
    charge: (caller, { agent, command }) => {
      const { requests, bytes } = budgetOf(caller, agent);
      const who = agent || 'this caller';
      if (!requests.take(1))
        throw tooMuch(`${who} asks for more than ${requestsPerSecond} commands a second`);
      if (!bytes.take(weightOf(command)))
        throw tooMuch(`${who} asks with more than ${bytesPerSecond} bytes a second, records counted`);
    },
  };
}

function tooMuch(what: string): ClawrdenError {
  return new ClawrdenError('rate-limit', `${what}; wait and try again`);
}
