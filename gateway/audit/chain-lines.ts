import type { KeyObject } from 'node:crypto';
import { hrtime } from 'node:process';
import { chainedLine, headText, type Link, signLink } from '../../src/audit/chain.ts';
import { signHandOver } from '../../src/audit/hand-over.ts';
import type { SigningKeyRecord } from './audit-record.ts';
import { boundedRecord } from './bounded-record.ts';

export interface Lines {
  readonly text: string;
  readonly last: Link;
}

/** A line for each record, none longer than `longestLine`. `sign` adds to each what depends on all of it. */
export function chainLines(
  records: readonly object[],
  from: Link,
  sign: (body: object) => object = () => ({}),
): Lines {
  let { seq, hash } = from;
  let text = '';
  const time = new Date().toISOString();
  const mono = Number(hrtime.bigint() / 1000n);
  for (const record of records) {
    seq += 1;
    const unsigned = { seq, time, mono, ...boundedRecord(record), prev: hash };
    const chained = chainedLine({ ...unsigned, ...sign(unsigned) });
    hash = chained.hash;
    text += `${chained.line}\n`;
  }
  return { text, last: { seq, hash } };
}

/** A record whose signature covers itself and everything before it. */
export function signedHead(from: Link, key: KeyObject): Lines {
  return chainLines([{ type: 'head' }], from, (body) => ({
    signature: signLink(headText({ ...body }), key),
  }));
}

/** The record of a signing key that both keys sign; it covers everything before it, as a head does. */
export function signedHandOver(
  record: SigningKeyRecord,
  from: Link,
  former: KeyObject,
  next: KeyObject,
): Lines {
  return chainLines([record], from, (body) => signHandOver(body, former, next));
}
