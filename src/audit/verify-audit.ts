import type { KeyObject } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ChainedRecord, firstLink, headText, isAsWritten, type Link, parseRecord } from './chain.ts';
import { handOverType } from './hand-over.ts';
import { type KeyChain, openKeyChain } from './key-chain.ts';
import { type LogPart, nameOf } from './open-regular.ts';
import { readLines, type TextLine } from './read-lines.ts';

export interface AuditReport {
  /** The number of the first record that is there; 0 if none is. */
  readonly first: number;
  readonly records: number;
  /** Signed heads, checked if there is a key. */
  readonly heads: number;
  /** How often one signing key handed over to the next. */
  readonly rotations: number;
  /**
   * The number of the last record for which the key vouches, itself or by the keys that it leads to; 0 if for none. The
   * first such record is `first`.
   */
  readonly vouchedFor: number;
  /** The first bad record; or, if all are good and the beginning is missing, the first one that is there. */
  readonly problem?: Problem;
}

export interface Problem {
  readonly file: string;
  readonly line: number;
  readonly why: string;
  /** Everything that is there is good. */
  readonly lacksBeginning?: true;
}

export interface VerifyOptions {
  /**
   * Any of the keys that signed the log; the records in which each key names the next lead to the others. If
   * it is absent, signatures are counted but not checked.
   */
  readonly key?: KeyObject | undefined;
  /** A record that the log must contain, or must have contained: records before `from` need not be there. */
  readonly recorded?: Link | undefined;
  /** Records before this one may be missing, because their files were moved away. */
  readonly from?: number | undefined;
}

/** Follows the chain through `files`, oldest first. Only lines count that are as a gateway writes them. */
export async function verifyAudit(
  files: readonly LogPart[],
  { key, recorded, from = 1 }: VerifyOptions = {},
): Promise<AuditReport> {
  let last: Link | undefined;
  const count = { first: 0, records: 0, heads: 0, rotations: 0, vouchedFor: 0 };
  let line = 0;
  const keys = key && (await openKeyChain(files, key));
  const report = (file: LogPart, why: string): AuditReport =>
    why === '' ? count : { ...count, problem: { file: nameOf(file), line, why } };
  for (const file of files) {
    line = 0;
    for await (const read of linesOf(file)) {
      line += 1;
      const checked = checkLine(read, last, keys);
      if ('why' in checked) return report(file, checked.why);
      const { record, signedUpTo } = checked;
      count.first ||= record.seq;
      count.records += 1;
      if (record['type'] === 'head') count.heads += 1;
      if (record['type'] === handOverType) count.rotations += 1;
      if (keys?.isTrusted() === true && signedUpTo >= count.first) count.vouchedFor = signedUpTo;
      last = record;
      if (isAnother(last, recorded))
        return report(file, `record ${last.seq} is not the one that was written`);
    }
  }
  const why = missingAtEnd(last, recorded) || missingFrom(last, from) || foreignKeys(keys);
  if (why !== '') return report(files.at(-1) ?? '', why);
  if (count.records === 0)
    return report(files.at(-1) ?? '', 'it holds no record: even an idle gateway writes one');
  if (count.first <= from) return count;
  return { ...count, problem: lackOfBeginning(nameOf(files[0] ?? ''), from, count.first) };
}

const unfinishedMs = 200;

/** The last line of a file that is open may be one that its gateway is writing: it is read once more. */
async function* linesOf(file: LogPart): AsyncGenerator<TextLine> {
  for await (const line of readLines(file)) {
    if (line.isEnded || typeof file === 'string') yield line;
    else {
      await sleep(unfinishedMs);
      for await (const again of readLines(file, line.at)) {
        yield again;
        break;
      }
    }
  }
}

/** The chain cannot tell a file that was moved away from one that was cut off. */
function lackOfBeginning(file: string, from: number, first: number): Problem {
  return { file, line: 1, why: gapBetween(from - 1, first), lacksBeginning: true };
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

/** Who says that it begins with a record that it does not reach has another log, or one that was cut. */
function missingFrom(last: Link | undefined, from: number): string {
  return last !== undefined && last.seq < from
    ? `it ends with record ${last.seq}, before record ${from}`
    : '';
}

/** `signedUpTo`: the last record for which this one's signatures vouch; 0 if it has none. */
type Checked = { readonly record: ChainedRecord; readonly signedUpTo: number } | { readonly why: string };

function checkLine({ text, isEnded }: TextLine, last: Link | undefined, keys: KeyChain | undefined): Checked {
  const record = parseRecord(text);
  if (record === undefined) return { why: 'is no audit record' };
  const { seq } = record;
  const why = chainFault(record, last);
  if (why !== undefined) return { why };
  if (!isAsWritten(text, record)) return { why: `record ${seq} was changed` };
  if (!isEnded) return { why: `record ${seq} lacks its newline: it was changed, or its gateway was killed` };
  return keys === undefined ? { record, signedUpTo: 0 } : checkSignature(record, keys);
}

function chainFault({ seq, prev }: ChainedRecord, last: Link | undefined): string | undefined {
  if (last === undefined)
    return seq === 1 && prev !== firstLink ? 'the first record has a predecessor' : undefined;
  if (seq !== last.seq + 1) return gapBetween(last.seq, seq);
  return prev === last.hash ? undefined : `record ${seq} does not follow from the one before it`;
}

function checkSignature(record: ChainedRecord, keys: KeyChain): Checked {
  const { hash: _, ...body } = record;
  const { seq, prev, type, signature } = body;
  if (type === 'head') {
    if (keys.isSigned(headText(body), signature)) return { record, signedUpTo: seq };
    // Earlier versions signed what is before a head, without the head itself.
    if (keys.isSigned(prev, signature)) return { record, signedUpTo: seq - 1 };
    return { why: `record ${seq} is signed by another key` };
  }
  if (type !== handOverType) return { record, signedUpTo: 0 };
  if (keys.handOver(body)) return { record, signedUpTo: seq };
  return {
    why: `record ${seq} names a signing key, and the key before it or the named one did not sign that`,
  };
}

function gapBetween(last: number, next: number): string {
  if (next <= last + 1) return `record ${next} follows record ${last}`;
  const missing = next === last + 2 ? `record ${last + 1} is` : `records ${last + 1} to ${next - 1} are`;
  return `${missing} missing`;
}
