import type { KeyObject } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { hrtime } from 'node:process';
import { asciiJson } from '../../src/ascii-json.ts';
import { linkHash, signLink } from '../../src/audit/chain.ts';
import type { AuditRecord } from './audit-record.ts';

/** Where a chain stands: its last record, and the length of the file with it. */
export interface Position {
  readonly seq: number;
  readonly hash: string;
  readonly end: number;
}

export interface Lines {
  readonly text: string;
  readonly last: Position;
}

export function chainLines(records: readonly object[], from: Position): Lines {
  let { seq, hash } = from;
  let text = '';
  const time = new Date().toISOString();
  const mono = Number(hrtime.bigint() / 1000n);
  for (const record of records) {
    seq += 1;
    const body = { seq, time, mono, ...record, prev: hash };
    hash = linkHash(body);
    text += `${asciiJson({ ...body, hash })}\n`;
  }
  return { text, last: { seq, hash, end: from.end + Buffer.byteLength(text) } };
}

/** A record that vouches for everything up to `from`. */
export function signedHead(from: Position, key: KeyObject): Lines {
  const head: AuditRecord = { type: 'head', signature: signLink(from.hash, key) };
  return chainLines([head], from);
}

/** On the disk when it resolves. What failed half-way leaves nothing behind: the file is cut back to `end`. */
export async function writeLines(handle: FileHandle, text: string, end: number): Promise<void> {
  const bytes = Buffer.from(text);
  try {
    for (let written = 0; written < bytes.length; ) {
      written += (await handle.write(bytes, written)).bytesWritten;
    }
    await handle.datasync();
  } catch (error) {
    await handle.truncate(end).catch(() => {});
    throw error;
  }
}
