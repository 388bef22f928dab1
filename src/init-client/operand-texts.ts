import type { Operand } from '../plan.ts';

const digestPrefix = 'sha256:';
const unseenPrefix = 'unseen: ';
const digestLength = 64;
const sha256Hex = /^[0-9a-f]{64}$/;
const maxWhy = 200;

/** What an init says of one file, in the plan's words: `sha256:HEX PATH`, or `unseen: why`. */
export function parseOperand(path: string, found: string): Operand {
  const file = found.slice(digestPrefix.length + digestLength + 1);
  const digest = found.slice(digestPrefix.length, digestPrefix.length + digestLength);
  if (found === digestText(digest, file) && sha256Hex.test(digest) && file.startsWith('/'))
    return { path, digest, file };
  const why = found.startsWith(unseenPrefix)
    ? found.slice(unseenPrefix.length)
    : 'its init said nothing of it';
  return { path, notInspected: why.slice(0, maxWhy) };
}

/** The other way round: what an init must find, to the letter. */
export function operandText(operand: Operand): string {
  return 'digest' in operand
    ? digestText(operand.digest, operand.file)
    : `${unseenPrefix}${operand.notInspected}`;
}

function digestText(digest: string, file: string): string {
  return `${digestPrefix}${digest} ${file}`;
}
