import type { Operand } from '../../src/plan.ts';
import { firstBytes } from '../../src/text/first-bytes.ts';

/** In UTF-8. */
export const recordablePlanBytes = 64 * 1024;
/** A plan that a person is asked about can be read, sent and kept whole. */
export const questionPlanBytes = recordablePlanBytes;
const operandBytes = 1024;

/** What history keeps of a plan's text: nothing of one that is longer; its hash says which it was. */
export function recordablePlan(canonical: string): string {
  return Buffer.byteLength(canonical) <= recordablePlanBytes ? canonical : '';
}

/** With the beginning of each path: where it is cut, the digest says which file it was. */
export function recordableOperands(operands: readonly Operand[]): readonly Operand[] {
  return operands.map((operand) => {
    const path = operand.path === undefined ? {} : { path: firstBytes(operand.path, operandBytes) };
    if (!('digest' in operand))
      return { ...path, notInspected: firstBytes(operand.notInspected, operandBytes) };
    return { ...operand, ...path, file: firstBytes(operand.file, operandBytes) };
  });
}
