import type { KeyObject } from 'node:crypto';
import { firstLink, isSignatureOf, type Link, linkHash } from './chain.ts';
import { readLines } from './read-lines.ts';

export interface AuditReport {
  readonly records: number;
  /** Signed heads that were checked. */
  readonly heads: number;
  /** The number of the last record that a checked signature covers; 0 if no signature covers any. */
  readonly vouchedFor: number;
  /** The first bad record. */
  readonly problem?: { readonly file: string; readonly line: number; readonly why: string };
}

export interface VerifyOptions {
  /** If it is absent, signed heads are counted but not checked. */
  readonly key?: KeyObject | undefined;
  /** A record that the log must contain, or must have contained: records before its first file cannot be checked. */
  readonly recorded?: Link | undefined;
}

/**
 * Follows the chain through `files`, oldest first. Accepts a first file that does not begin with record 1, unless the
 * file itself says that earlier records are lost.
 */
export async function verifyAudit(
  files: readonly string[],
  { key, recorded }: VerifyOptions = {},
): Promise<AuditReport> {
  let last: Link | undefined;
  let records = 0;
  let heads = 0;
  let vouchedFor = 0;
  let line = 0;
  const report = (file: string, why: string): AuditReport => {
    const counted = { records, heads, vouchedFor };
    return why === '' ? counted : { ...counted, problem: { file, line, why } };
  };
  for (const file of files) {
    line = 0;
    for await (const text of readLines(file)) {
      line += 1;
      const checked = checkLine(text, last, key);
      if ('why' in checked) return report(file, checked.why);
      records += 1;
      if (checked.head) heads += 1;
      if (checked.head && key !== undefined) vouchedFor = checked.link.seq;
      last = checked.link;
      if (isAnother(last, recorded))
        return report(file, `record ${last.seq} is not the one that was written`);
    }
  }
  return report(files.at(-1) ?? '', missingAtEnd(last, recorded));
}

function isAnother(found: Link, recorded: Link | undefined): boolean {
  return found.seq === recorded?.seq && found.hash !== recorded.hash;
}

function missingAtEnd(last: Link | undefined, recorded: Link | undefined): string {
  const [end, wanted] = [last?.seq ?? 0, recorded?.seq ?? 0];
  return end < wanted ? `${gapBetween(end, wanted + 1)} at the end` : '';
}

function checkLine(
  text: string,
  last: Link | undefined,
  key: KeyObject | undefined,
): { link: Link; head: boolean } | { why: string } {
  const record = parse(text);
  if (record === undefined) return { why: 'is no audit record' };
  const { hash, ...body } = record;
  const { seq, prev } = body;
  if (last === undefined && seq === 1 && prev !== firstLink)
    return { why: 'the first record has a predecessor' };
  // The gateway itself recorded that earlier records are lost: an operator did not move them away.
  if (last === undefined && seq > 1 && body.incident === 'audit-broken') return { why: gapBetween(0, seq) };
  if (last !== undefined && seq !== last.seq + 1) return { why: gapBetween(last.seq, seq) };
  if (last !== undefined && prev !== last.hash)
    return { why: `record ${seq} does not follow from the one before it` };
  if (linkHash(body) !== hash) return { why: `record ${seq} was changed` };
  const head = body.type === 'head';
  if (head && key !== undefined && !isSignatureOf(prev, String(body.signature), key)) {
    return { why: `record ${seq} is signed by another key` };
  }
  return { link: { seq, hash }, head };
}

function gapBetween(last: number, next: number): string {
  if (next <= last + 1) return `record ${next} follows record ${last}`;
  const missing = next === last + 2 ? `record ${last + 1} is` : `records ${last + 1} to ${next - 1} are`;
  return `${missing} missing`;
}

interface ChainedRecord {
  readonly seq: number;
  readonly prev: string;
  readonly hash: string;
  readonly [key: string]: unknown;
}

function parse(text: string): ChainedRecord | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isChained(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isChained(value: unknown): value is ChainedRecord {
  if (typeof value !== 'object' || value === null) return false;
  const { seq, prev, hash } = value as Record<string, unknown>;
  return Number.isSafeInteger(seq) && typeof prev === 'string' && typeof hash === 'string';
}
