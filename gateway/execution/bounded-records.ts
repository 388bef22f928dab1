import type { Operand } from '../../src/plan.ts';
import type { RecordableCommand } from '../../src/recordable-command.ts';
import { firstBytes } from '../../src/text/first-bytes.ts';

/** In UTF-8. */
export const recordablePlanBytes = 8 * 1024;
/** The plan of a question can be read and sent whole, and is kept whole until the question is answered. */
export const questionPlanBytes = 64 * 1024;
const operandBytes = 1024;
const textBytes = 4096;

/** The most of a plan's text in the history. If the plan is longer, the history keeps only its hash. */
export function recordablePlan(canonical: string): string {
  return Buffer.byteLength(canonical) <= recordablePlanBytes ? canonical : '';
}

/** The kept beginning of each path; if it is cut, the digest identifies the file. */
export function recordableOperands(operands: readonly Operand[]): readonly Operand[] {
  return operands.map((operand) => {
    const path = operand.path === undefined ? {} : { path: firstBytes(operand.path, operandBytes) };
    if (!('digest' in operand))
      return { ...path, notInspected: firstBytes(operand.notInspected, operandBytes) };
    const { notHeld, file } = operand;
    const why = notHeld === undefined ? {} : { notHeld: firstBytes(notHeld, operandBytes) };
    return { ...operand, ...path, ...why, file: firstBytes(file, operandBytes) };
  });
}

/** Why a command ended as it did: a path that a Docker host told may be in it. */
export function recordableText(text: string): string {
  return firstBytes(text, textBytes);
}

/** The lines of the audit and the row of the history, without the command and its plan. */
const bareRecordsBytes = 2048;

/** About how much audit and database grow for a command that is allowed or asked about, in bytes. */
export function recordedBytes({ argv, cwd }: RecordableCommand, plan: string, isAsked: boolean): number {
  const command = Buffer.byteLength(JSON.stringify(argv)) + Buffer.byteLength(cwd);
  const kept = Buffer.byteLength(recordablePlan(plan));
  // Once in the history and once in the decision; the question has the whole plan.
  return bareRecordsBytes + 2 * command + kept + (isAsked ? Buffer.byteLength(plan) : 0);
}
