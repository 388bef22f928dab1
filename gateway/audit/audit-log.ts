import type { KeyObject } from 'node:crypto';
import { rename } from 'node:fs/promises';
import { rotatedName } from '../../src/audit/audit-files.ts';
import { ClawrdenError } from '../../src/errors.ts';
import type { AuditRecord } from './audit-record.ts';
import { chainLines, type Position, signedHead, writeLines } from './chain-lines.ts';
import { type OpenFile, openChained } from './open-chained.ts';

/** Append-only and hash-chained; what `append` has resolved for is on the disk. */
export interface AuditLog {
  /** Rejects with `audit-unwritable`; the log recovers by itself once it can write again. */
  readonly append: (record: AuditRecord) => Promise<void>;
  /** Empty, or why nothing can be recorded now. */
  readonly problem: () => string;
  /** Signs the head, last. */
  readonly close: () => Promise<void>;
}

export interface AuditLogOptions {
  /** Ed25519, private. */
  readonly key: KeyObject;
  /** A file of this size is put aside, under the number of its last record, and the chain goes on in a new one. */
  readonly maxBytes?: number;
}

interface Waiting {
  readonly record: AuditRecord;
  readonly resolve: () => void;
  readonly reject: (error: ClawrdenError) => void;
}

const defaultMaxBytes = 256 * 1024 * 1024;
/** Between two signed heads: so many records at most, and with the first that comes after so long. */
const headEvery = { records: 1000, ms: 10 * 60_000 };

/**
 * Opens `file`, cutting off a torn last line. There is no timer: each flush takes what arrived during the last one.
 * A line is `{seq, time, mono, ...record, prev, hash}` with hash = SHA-256 of the same line without `hash`.
 */
export async function openAuditLog(file: string, options: AuditLogOptions): Promise<AuditLog> {
  const appender = new Appender(file, options, await openChained(file));
  return {
    append: (record) => appender.append(record),
    problem: () => appender.problem,
    close: () => appender.close(),
  };
}

class Appender {
  problem = '';
  readonly #file: string;
  readonly #options: AuditLogOptions;
  #open: OpenFile;
  #unsigned = 0;
  /** On the monotonic clock. */
  #signedAt = performance.now();
  #waiting: Waiting[] = [];
  #flushing: Promise<void> | undefined;

  constructor(file: string, options: AuditLogOptions, open: OpenFile) {
    this.#file = file;
    this.#options = options;
    this.#open = open;
  }

  append(record: AuditRecord): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ record, resolve, reject });
      this.#flushing ??= this.#flush();
    });
  }

  async close(): Promise<void> {
    await this.#flushing;
    if (this.#unsigned > 0) await this.#write([]).catch(() => {});
    await this.#open.handle.close();
  }

  async #flush(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0);
      try {
        await this.#write(batch.map(({ record }) => record));
        this.problem = '';
        for (const { resolve } of batch) resolve();
      } catch (error) {
        this.problem = error instanceof Error ? error.message : String(error);
        const refusal = new ClawrdenError('audit-unwritable', `the audit cannot be written: ${this.problem}`);
        for (const { reject } of batch) reject(refusal);
      }
    }
    this.#flushing = undefined;
  }

  /** No records: only the head is signed. */
  async #write(records: readonly AuditRecord[]): Promise<void> {
    const { maxBytes = defaultMaxBytes, key } = this.#options;
    if (this.#open.position.end >= maxBytes) await this.#rotate();
    const { handle, position } = this.#open;
    const lines = chainLines(records, position);
    const now = performance.now();
    const many = this.#unsigned + records.length >= headEvery.records;
    const due = records.length === 0 || many || now - this.#signedAt >= headEvery.ms;
    const head = due ? signedHead(lines.last, key) : undefined;
    await writeLines(handle, lines.text + (head?.text ?? ''), position.end);
    this.#unsigned = due ? 0 : this.#unsigned + records.length;
    if (due) this.#signedAt = now;
    const last: Position = (head ?? lines).last;
    this.#open = { handle, position: last };
  }

  async #rotate(): Promise<void> {
    const { handle, position } = this.#open;
    await rename(this.#file, rotatedName(this.#file, position.seq));
    this.#open = await openChained(this.#file);
    await handle.close();
  }
}
