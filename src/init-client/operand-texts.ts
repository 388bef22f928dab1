import type { Operand } from '../plan.ts';

const unseenPrefix = 'unseen: ';
/** The first group is unambiguous: a reason has no `;`. */
const seen = /^(?:held|not held: ([^;]+);) sha256:([0-9a-f]{64}) (\/.*)$/s;
/** Ours are below 70; one that was cut is never found again, and so refused at the run. */
const maxWhy = 200;

/**
 * An init's answer for one file, in the words of a plan: `held sha256:HEX PATH`, `not held: why; sha256:HEX PATH` or
 * `unseen: why`.
 */
export function parseOperand(path: string, found: string): Operand {
  const [, notHeld, digest, file] = seen.exec(found) ?? [];
  if (digest !== undefined && file !== undefined)
    return { path, digest, file, ...(notHeld === undefined ? {} : { notHeld: notHeld.slice(0, maxWhy) }) };
  const why = found.startsWith(unseenPrefix)
    ? found.slice(unseenPrefix.length)
    : 'its init said nothing of it';
  return { path, notInspected: why.slice(0, maxWhy) };
}

/** The reverse: the exact text that an init must find. */
export function operandText(operand: Operand): string {
  if (!('digest' in operand)) return `${unseenPrefix}${operand.notInspected}`;
  const { notHeld, digest, file } = operand;
  return `${notHeld === undefined ? 'held' : `not held: ${notHeld};`} sha256:${digest} ${file}`;
}
