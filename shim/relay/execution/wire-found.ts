import type { FoundOperand } from '../../../src/gen/clawrden/v1/execution.ts';
import type { Found } from '../../../src/init-client/plan-operands.ts';

export function toWireFound(found: Found): FoundOperand[] {
  return Array.from(found, ([path, line]) => ({ path, line }));
}
