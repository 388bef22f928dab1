import { type FileHandle, open } from 'node:fs/promises';
import { hrtime } from 'node:process';
import { ClawrdenError } from '../../src/errors.ts';
import type { AuditRecord } from './audit-record.ts';
import { linkHash } from './chain.ts';
import { lastRecord } from './last-record.ts';

/** Append-only and hash-chained; what `append` has resolved for is on the disk. */
export interface AuditLog {
  /** Rejects with `audit-unwritable`; the log recovers by itself once it can write again. */
  readonly append: (record: AuditRecord) => Promise<void>;
  /** Empty, or why nothing can be recorded now. */
  readonly problem: () => string;
  readonly close: () => Promise<void>;
}

interface Waiting {
  readonly record: AuditRecord;
  readonly resolve: () => void;
  readonly reject: (error: ClawrdenError) => void;
}

/**
 * Opens `file`, cutting off a torn last line. There is no timer: each flush takes what arrived during the last one.
 * A line is `{seq, time, mono, ...record, prev, hash}` with hash = SHA-256 of the same line without `hash`.
 */
export async function openAuditLog(file: string): Promise<AuditLog> {
  const handle = await open(file, 'a+', 0o600);
  const last = await lastRecord(handle);
  await handle.truncate(last.end);
  return startAppender(handle, last.seq, last.hash, last.end);
}

function startAppender(handle: FileHandle, lastSeq: number, lastHash: string, end: number): AuditLog {
  const waiting: Waiting[] = [];
  let position = { seq: lastSeq, hash: lastHash, end };
  let problem = '';
  let flushing: Promise<void> | undefined;

  async function flushAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.splice(0);
      try {
        position = await writeBatch(handle, batch, position);
        problem = '';
        for (const { resolve } of batch) resolve();
      } catch (error) {
        problem = error instanceof Error ? error.message : String(error);
        const refusal = new ClawrdenError('audit-unwritable', `the audit cannot be written: ${problem}`);
        for (const { reject } of batch) reject(refusal);
      }
    }
    flushing = undefined;
  }

  return {
    append: (record) =>
      new Promise((resolve, reject) => {
        waiting.push({ record, resolve, reject });
        flushing ??= flushAll();
      }),
    problem: () => problem,
    close: async () => {
      await flushing;
      await handle.close();
    },
  };
}

interface Position {
  readonly seq: number;
  readonly hash: string;
  readonly end: number;
}

/** A write that failed half-way leaves nothing behind: the file is cut back to where the batch began. */
async function writeBatch(handle: FileHandle, batch: readonly Waiting[], from: Position): Promise<Position> {
  const { text, seq, hash } = chain(batch, from);
  const bytes = Buffer.from(text);
  try {
    for (let written = 0; written < bytes.length; ) {
      written += (await handle.write(bytes, written)).bytesWritten;
    }
    await handle.datasync();
  } catch (error) {
    await handle.truncate(from.end).catch(() => {});
    throw error;
  }
  return { seq, hash, end: from.end + bytes.length };
}

function chain(batch: readonly Waiting[], from: Position): { text: string; seq: number; hash: string } {
  let { seq, hash } = from;
  let text = '';
  const time = new Date().toISOString();
  const mono = Number(hrtime.bigint() / 1000n);
  for (const { record } of batch) {
    seq += 1;
    const body = { seq, time, mono, ...record, prev: hash };
    hash = linkHash(body);
    text += `${JSON.stringify({ ...body, hash })}\n`;
  }
  return { text, seq, hash };
}
