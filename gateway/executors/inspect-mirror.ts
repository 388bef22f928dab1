import { ClawrdenError } from '../../src/errors.ts';
import { operandOrders } from '../../src/init-client/plan-operands.ts';
import type { Inspector } from './executor.ts';
import { placeOf } from './mirror.ts';
import { untilInspected } from './until-inspected.ts';

/** The relay lets an init inspect in the agent's container. */
export const inspectMirror: Inspector = async ({ plan, hash, canonical }, execution) => {
  void execution.send({ type: 'inspect-here', planHash: hash, canonicalPlan: canonical });
  const found = await untilInspected(execution.inspected, execution.signal);
  if (found instanceof Error) throw found;
  if (operandOrders(plan).operands.every((path) => found.has(path)))
    return { found, host: placeOf(execution, '').host };
  throw new ClawrdenError(
    'internal',
    'the relay did not say of each script what it found: upgrade the relay',
  );
};
