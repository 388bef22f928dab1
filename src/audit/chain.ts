import { createHash, type KeyObject, sign, verify } from 'node:crypto';
import { canonicalJson } from '../plan.ts';
import { asciiJson, escapeJsonLine } from '../text/ascii-json.ts';
import { fromBase64url, toBase64url } from '../text/base64url.ts';

/** `prev` of the first record of a log. */
export const firstLink = '0'.repeat(64);

/** Most bytes of one line. Bounded records are far shorter. */
export const longestLine = 256 * 1024;

/** What the next record needs to know of a record. */
export interface Link {
  readonly seq: number;
  readonly hash: string;
}

/** Before the first record. */
export const beginning: Link = { seq: 0, hash: firstLink };

/** A record as it stands in the log. */
export interface ChainedRecord extends Link {
  readonly prev: string;
  readonly [key: string]: unknown;
}

/** The line of a record, without its end, and the record's link: SHA-256 of the very text without `hash`. */
export function chainedLine(body: object): { readonly line: string; readonly hash: string } {
  const text = asciiJson(body);
  const hash = sha256(text);
  return { line: `${text.slice(0, -1)}${hashEnd(hash)}`, hash };
}

/** What a line says; undefined if it is no record. Checks neither its text nor its hash. */
export function parseRecord(line: string): ChainedRecord | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isChained(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isChained(value: unknown): value is ChainedRecord {
  if (typeof value !== 'object' || value === null) return false;
  const { seq, prev, hash } = value as Record<string, unknown>;
  const isNumber = typeof seq === 'number' && Number.isSafeInteger(seq) && seq >= 1;
  return isNumber && typeof prev === 'string' && typeof hash === 'string';
}

/**
 * Whether the line is, byte for byte, what a gateway writes for the record that was parsed from it, hash included.
 * People and other programs read the text: of a key that stands twice, each may take another value.
 */
export function isAsWritten(line: string, record: ChainedRecord): boolean {
  const { hash, ...body } = record;
  const end = hashEnd(hash);
  const isText = line.startsWith('{"seq":') && line.endsWith(end);
  if (!isText || escapeJsonLine(JSON.stringify(record)) !== line) return false;
  const isHashOfText = line.length < longestLine && sha256(`${line.slice(0, -end.length)}}`) === hash;
  // No record has both: no gateway writes its keys sorted.
  return isHashOfText || linkHash(body) === hash;
}

/** The record that a line is; undefined if it is not as a gateway writes it. */
export function verifiedRecord(line: string): ChainedRecord | undefined {
  const record = parseRecord(line);
  return record !== undefined && isAsWritten(line, record) ? record : undefined;
}

/** SHA-256 of canonical JSON: the link of records that earlier versions wrote, of any length. */
export function linkHash(body: object): string {
  return sha256(canonicalJson(body));
}

function hashEnd(hash: string): string {
  return `,"hash":"${hash}"}`;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** What the signature of a `head` record is for: all of it, and by the link in it everything before. */
export function headText(record: Readonly<Record<string, unknown>>): string {
  const { signature: _, ...body } = record;
  return `clawrden head ${linkHash(body)}`;
}

/** Ed25519. Earlier versions signed the link before the head. */
export function signLink(link: string, key: KeyObject): string {
  return toBase64url(sign(null, Buffer.from(link), key));
}

export function isSignatureOf(link: string, signature: string, key: KeyObject): boolean {
  const bytes = fromBase64url(signature);
  return bytes !== undefined && verify(null, Buffer.from(link), key, bytes);
}
