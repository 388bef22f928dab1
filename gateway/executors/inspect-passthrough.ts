import { operandOrders } from '../../src/init-client/plan-operands.ts';
import type { Inspector } from './executor.ts';

/** Nothing is promised about what the original finds when it runs in place, so nothing is inspected. */
export const inspectPassthrough: Inspector = ({ plan }) => {
  const { operands } = operandOrders(plan);
  const unseen = 'unseen: it runs in place, and nobody looks then';
  return Promise.resolve({ found: new Map(operands.map((path) => [path, unseen])), host: '' });
};
