import type { KeyObject } from 'node:crypto';
import { ClawrdenError } from '../../src/errors.ts';
import { Appender } from './appender.ts';
import type { AuditRecord } from './audit-record.ts';
import { type FaultNotes, faultNotesInMemory } from './fault-notes.ts';
import { openLog } from './open-log.ts';
import { noWitness, type Witness } from './witness.ts';

/** Append-only and hash-chained; what `append` has resolved for is on the disk. */
export interface AuditLog {
  /** Rejects with `audit-unwritable`; the log recovers by itself once it can write again. */
  readonly append: (record: AuditRecord) => Promise<void>;
  /** Empty, or why nothing can be recorded now. */
  readonly problem: () => string;
  /** What a person should look at: records that went missing, until somebody acknowledges that; a file that cannot be put aside. */
  readonly warnings: () => readonly string[];
  /** Signs the head, last. */
  readonly close: () => Promise<void>;
}

export interface AuditLogOptions {
  /** Ed25519, private. */
  readonly key: KeyObject;
  /** A file of this size is put aside, under the number of its last record, and the chain goes on in a new one. */
  readonly maxBytes?: number;
  /** Left out, a log of which nothing is left is taken for a new one. */
  readonly witness?: Witness;
  readonly faults?: FaultNotes;
}

const defaultMaxBytes = 256 * 1024 * 1024;
/** Taken at once; a batch is written in one piece. */
const recordsAtOnce = 256;

interface Waiting {
  readonly record: AuditRecord;
  readonly resolve: () => void;
  readonly reject: (error: ClawrdenError) => void;
}

/**
 * Opens the log at `path`. Each flush takes what arrived during the last one. A line is
 * `{seq, time, mono, ...record, prev, hash}` with hash = SHA-256 of the same line without `hash`.
 */
export async function openAuditLog(path: string, options: AuditLogOptions): Promise<AuditLog> {
  const { key, maxBytes = defaultMaxBytes, witness = noWitness, faults = faultNotesInMemory() } = options;
  const recorded = await witness.recorded();
  const log = await openLog(path, recorded);
  // Killed before the first position is written behind, both are new yet, and not only one of them.
  if (recorded === 'nothing' && log.last.seq === 0) await witness.record(log.last);
  // Before the witness may know of a record behind them.
  for (const { text } of log.faults) await faults.add(text);
  const queue = new Queue(new Appender(log, { key, maxBytes, witness, faults }));
  return {
    append: (record) => queue.append(record),
    problem: () => queue.problem,
    warnings: () => queue.warnings(),
    close: () => queue.close(),
  };
}

/** One flush at a time; between them the file is looked at, so that one that was taken away is noticed. */
class Queue {
  problem = '';
  readonly #appender: Appender;
  readonly #looking: NodeJS.Timeout;
  #waiting: Waiting[] = [];
  #flushing: Promise<void> | undefined;

  constructor(appender: Appender) {
    this.#appender = appender;
    this.#looking = setInterval(() => this.#look(), lookEveryMs).unref();
    this.#look();
  }

  warnings(): readonly string[] {
    return this.#appender.warnings();
  }

  append(record: AuditRecord): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ record, resolve, reject });
      this.#flushing ??= this.#flush();
    });
  }

  async close(): Promise<void> {
    clearInterval(this.#looking);
    await this.#flushing;
    await this.#appender.close();
  }

  #look(): void {
    if (this.#flushing === undefined && this.#appender.needsFlush()) this.#flushing = this.#flush();
  }

  async #flush(): Promise<void> {
    do {
      const batch = this.#waiting.splice(0, recordsAtOnce);
      try {
        await this.#appender.write(batch.map(({ record }) => record));
        this.problem = '';
        for (const { resolve } of batch) resolve();
      } catch (error) {
        this.problem = error instanceof Error ? error.message : String(error);
        const refusal = new ClawrdenError('audit-unwritable', `the audit cannot be written: ${this.problem}`);
        for (const { reject } of batch) reject(refusal);
      }
    } while (this.#waiting.length > 0);
    this.#flushing = undefined;
  }
}

const lookEveryMs = 500;
