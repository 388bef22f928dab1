import { createHash } from 'node:crypto';
import { longestLine } from '../../src/audit/chain.ts';
import { asciiJson, jsonText } from '../../src/text/ascii-json.ts';
import { firstBytes } from '../../src/text/first-bytes.ts';

/** Leaves room for the fields that the chain adds. */
const mostBytes = longestLine - 1024;

/**
 * Limits that are tried until the record fits: bytes of one text, items of one list. With the last one every record
 * fits.
 */
const tries = [
  { bytes: 16 * 1024, items: 1024 },
  { bytes: 1024, items: 128 },
  { bytes: 64, items: 16 },
];

/** The most characters that one character of JSON becomes in ASCII. */
const widest = 6;

/**
 * The record, or what fits of it: texts and lists are cut, and `shortened` says what the whole was. Nothing is refused:
 * a record that is too long stops no work.
 */
export function boundedRecord(record: object): object {
  const whole = jsonText(record);
  if (whole.length * widest <= mostBytes || fits(record)) return record;
  const shortened = {
    bytes: Buffer.byteLength(whole),
    sha256: createHash('sha256').update(whole).digest('hex'),
  };
  for (const limits of tries) {
    const cut = { ...(cutValue(record, limits, 0) as object), shortened };
    if (fits(cut)) return cut;
  }
  const { type } = record as { readonly type?: unknown };
  return { type: firstBytes(String(type), 64), shortened };
}

/** A text that is far too long is cut before it is written in ASCII. */
function fits(record: object): boolean {
  return jsonText(record).length <= mostBytes && asciiJson(record).length <= mostBytes;
}

interface Limits {
  readonly bytes: number;
  readonly items: number;
}

const deepest = 8;

function cutValue(value: unknown, limits: Limits, depth: number): unknown {
  if (typeof value === 'string') return firstBytes(value, limits.bytes);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === deepest) return '';
  const inner = (item: unknown) => cutValue(item, limits, depth + 1);
  if (Array.isArray(value)) return value.slice(0, limits.items).map(inner);
  const entries = Object.entries(value).slice(0, limits.items);
  return Object.fromEntries(entries.map(([key, item]) => [firstBytes(key, limits.bytes), inner(item)]));
}
