import type { Operand } from '../../src/plan.ts';
import type { RecordableCommand } from '../../src/recordable-command.ts';
import { firstBytes } from '../../src/text/first-bytes.ts';

/** In UTF-8. */
export const recordablePlanBytes = 8 * 1024;
/** A plan that a person is asked about can be read and sent whole, and is kept whole until it is answered. */
export const questionPlanBytes = 64 * 1024;
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

/** The lines of the audit and the row of the history, without what the command and its plan put into them. */
const bareRecordsBytes = 2048;

/** About what audit and database grow by for a command that is let through or asked about, in bytes. */
export function recordedBytes({ argv, cwd }: RecordableCommand, plan: string, isAsked: boolean): number {
  const command = Buffer.byteLength(JSON.stringify(argv)) + Buffer.byteLength(cwd);
  const kept = Buffer.byteLength(recordablePlan(plan));
  // In the history and in the decision; the question has all of the plan.
  return bareRecordsBytes + 2 * command + kept + (isAsked ? Buffer.byteLength(plan) : 0);
}
