import type { KeyObject } from 'node:crypto';
import { hrtime } from 'node:process';
import { type Link, linkHash, signLink } from '../../src/audit/chain.ts';
import { asciiJson } from '../../src/text/ascii-json.ts';
import type { AuditRecord } from './audit-record.ts';
import { boundedRecord } from './bounded-record.ts';

export interface Lines {
  readonly text: string;
  readonly last: Link;
}

/** A line for each record, none longer than `longestLine`. */
export function chainLines(records: readonly object[], from: Link): Lines {
  let { seq, hash } = from;
  let text = '';
  const time = new Date().toISOString();
  const mono = Number(hrtime.bigint() / 1000n);
  for (const record of records) {
    seq += 1;
    const body = { seq, time, mono, ...boundedRecord(record), prev: hash };
    hash = linkHash(body);
    text += `${asciiJson({ ...body, hash })}\n`;
  }
  return { text, last: { seq, hash } };
}

/** A record whose signature covers everything up to `from`. */
export function signedHead(from: Link, key: KeyObject): Lines {
  const head: AuditRecord = { type: 'head', signature: signLink(from.hash, key) };
  return chainLines([head], from);
}
