import type { Operand } from '../plan.ts';

const unseenPrefix = 'unseen: ';
/** Of the first group no two readings: a reason has no `;`. */
const seen = /^(?:held|not held: ([^;]+);) sha256:([0-9a-f]{64}) (\/.*)$/s;
const maxWhy = 200;

/** What an init says of one file, in the plan's words: `held sha256:HEX PATH`, `not held: why; sha256:HEX PATH` or `unseen: why`. */
export function parseOperand(path: string, found: string): Operand {
  const [, notHeld, digest, file] = seen.exec(found) ?? [];
  if (digest !== undefined && file !== undefined)
    return { path, digest, file, ...(notHeld === undefined ? {} : { notHeld }) };
  const why = found.startsWith(unseenPrefix)
    ? found.slice(unseenPrefix.length)
    : 'its init said nothing of it';
  return { path, notInspected: why.slice(0, maxWhy) };
}

/** The other way round: what an init must find, to the letter. */
export function operandText(operand: Operand): string {
  if (!('digest' in operand)) return `${unseenPrefix}${operand.notInspected}`;
  const { notHeld, digest, file } = operand;
  return `${notHeld === undefined ? 'held' : `not held: ${notHeld};`} sha256:${digest} ${file}`;
}
