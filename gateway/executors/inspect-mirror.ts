import type { Inspector } from './executor.ts';
import { untilInspected } from './until-inspected.ts';

/** The relay has an init look in the agent's container. */
export const inspectMirror: Inspector = async ({ hash, canonical }, execution) => {
  void execution.send({ type: 'inspect-here', planHash: hash, canonicalPlan: canonical });
  const found = await untilInspected(execution.inspected, execution.signal);
  if (found instanceof Error) throw found;
  return found;
};
