import { readFile } from 'node:fs/promises';
import { doubtful, type Finding, good, messageOf } from './finding.ts';

const check = 'hashing';

/** Whether the carrier hashes by the processor's own instructions. */
export async function checkSha(file = '/proc/cpuinfo'): Promise<Finding> {
  try {
    return judgeSha(await readFile(file, 'utf8'));
  } catch (error) {
    return doubtful(check, messageOf(error), 'see that /proc/cpuinfo can be read');
  }
}

/** What the carrier asks for (`shim/native/common/sha256-hardware.c`). */
const wanted = [
  ['sha_ni', 'ssse3', 'sse4_1'],
  ['sha2', 'asimd'],
] as const;

export function judgeSha(cpuinfo: string): Finding {
  const [, line = ''] = /^(?:flags|Features)\s*:(.*)$/m.exec(cpuinfo) ?? [];
  const flags = new Set(line.trim().split(/\s+/));
  const found = wanted.find((names) => names.every((name) => flags.has(name)));
  if (found !== undefined) return good(check, `SHA-256 by the processor (${found[0]})`);
  const fix = 'nothing is wrong; the first look at a large workspace takes several times as long';
  return doubtful(check, 'the processor has no instructions for SHA-256', fix);
}
