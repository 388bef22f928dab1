import type { KeyObject } from 'node:crypto';
import { firstLink, type Link, linkHash } from './chain.ts';
import { handOverType } from './hand-over.ts';
import { type KeyChain, openKeyChain } from './key-chain.ts';
import { readLines } from './read-lines.ts';

export interface AuditReport {
  readonly records: number;
  /** Signed heads, checked if there is a key. */
  readonly heads: number;
  /** How often one signing key handed over to the next. */
  readonly rotations: number;
  /** The number of the last record for which the key vouches, itself or by the keys that it leads to; 0 if for none. */
  readonly vouchedFor: number;
  /** The first bad record. */
  readonly problem?: { readonly file: string; readonly line: number; readonly why: string };
}

export interface VerifyOptions {
  /**
   * Any of the keys that signed the log; the records in which each key names the next lead to the others. If
   * it is absent, signatures are counted but not checked.
   */
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
  const count = { records: 0, heads: 0, rotations: 0, vouchedFor: 0 };
  let line = 0;
  const keys = key && (await openKeyChain(files, key));
  const report = (file: string, why: string): AuditReport =>
    why === '' ? count : { ...count, problem: { file, line, why } };
  for (const file of files) {
    line = 0;
    for await (const text of readLines(file)) {
      line += 1;
      const checked = checkLine(text, last, keys);
      if ('why' in checked) return report(file, checked.why);
      count.records += 1;
      if (checked.type === 'head') count.heads += 1;
      if (checked.type === handOverType) count.rotations += 1;
      if (isSigned(checked.type) && keys?.isTrusted() === true) count.vouchedFor = checked.link.seq;
      last = checked.link;
      if (isAnother(last, recorded))
        return report(file, `record ${last.seq} is not the one that was written`);
    }
  }
  return report(files.at(-1) ?? '', missingAtEnd(last, recorded) || foreignKeys(keys));
}

function isSigned(type: unknown): boolean {
  return type === 'head' || type === handOverType;
}

/** They hang together, and somebody else may have made all of them. */
function foreignKeys(keys: KeyChain | undefined): string {
  const isTrusted = keys?.isTrusted() ?? true;
  return isTrusted
    ? ''
    : 'none of the keys that signed it is the one that was given: it begins behind that key or ends before it, or another gateway wrote it';
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
  keys: KeyChain | undefined,
): { link: Link; type: unknown } | { why: string } {
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
  const why = keys && signatureFault(body, keys);
  return why === undefined ? { link: { seq, hash }, type: body.type } : { why };
}

function signatureFault(body: Body, keys: KeyChain): string | undefined {
  const { seq, prev, type, signature } = body;
  if (type === 'head' && !keys.isSigned(prev, signature)) return `record ${seq} is signed by another key`;
  if (type === handOverType && !keys.handOver(body))
    return `record ${seq} names a signing key, and the key before it or the named one did not sign that`;
  return undefined;
}

function gapBetween(last: number, next: number): string {
  if (next <= last + 1) return `record ${next} follows record ${last}`;
  const missing = next === last + 2 ? `record ${last + 1} is` : `records ${last + 1} to ${next - 1} are`;
  return `${missing} missing`;
}

interface Body {
  readonly seq: number;
  readonly prev: string;
  readonly [key: string]: unknown;
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
