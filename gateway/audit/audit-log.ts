import type { KeyObject } from 'node:crypto';
import { ClawrdenError } from '../../src/errors.ts';
import { Appender, type NextKey } from './appender.ts';
import type { AuditRecord } from './audit-record.ts';
import { type FaultNotes, faultNotesInMemory } from './fault-notes.ts';
import { type OpenLog, openLog } from './open-log.ts';
import { noWitness, type Witness } from './witness.ts';

/** Append-only and hash-chained. When `append` has resolved, its record is on the disk. */
export interface AuditLog {
  /** What was there when it was opened. `broken`: records that the witness knew were missing. */
  readonly found: 'new' | 'whole' | 'broken';
  /** Rejects with `audit-unwritable`; the log recovers by itself once it can write again. */
  readonly append: (record: AuditRecord) => Promise<void>;
  /** Another key signs from now on; rejects like `append`, and then the present one stays. */
  readonly handOver: (next: NextKey) => Promise<void>;
  /** Empty, or why nothing can be recorded now. */
  readonly problem: () => string;
  /**
   * What a person should look at: missing records, until somebody acknowledges them; a file that cannot be renamed.
   */
  readonly warnings: () => readonly string[];
  /** What is recorded from now on is not in the database: the next start applies it from the log. */
  readonly unkept: () => void;
  /** Signs the head, and then closes the log. */
  readonly close: () => Promise<void>;
}

export interface AuditLogOptions {
  /** Ed25519, private. Signs until it hands over. */
  readonly key: KeyObject;
  /** A file of this size is renamed to the number of its last record, and the chain continues in a new file. */
  readonly maxBytes?: number;
  /** If absent, an empty log counts as a new one. */
  readonly witness?: Witness;
  readonly faults?: FaultNotes;
}

const defaultMaxBytes = 256 * 1024 * 1024;
/** Queued at once; a batch is written in one piece. */
const recordsAtOnce = 256;

interface Waiting {
  readonly entry: AuditRecord | NextKey;
  readonly resolve: () => void;
  readonly reject: (error: ClawrdenError) => void;
}

/**
 * Opens the log at `path`. Each flush writes what arrived during the last one. A line is `{seq, time, mono,
 * ...record, prev, hash}` with hash = SHA-256 of the same line without `hash`.
 */
export async function openAuditLog(path: string, options: AuditLogOptions): Promise<AuditLog> {
  const { key, maxBytes = defaultMaxBytes, witness = noWitness, faults = faultNotesInMemory() } = options;
  const recorded = await witness.recorded();
  const log = await openLog(path, recorded);
  // If the gateway is killed before the first position is written, both log and position are still new, and not only
  // one.
  if (recorded === 'nothing' && log.last.seq === 0) await witness.record(log.last);
  // Before the witness can know of a later record.
  for (const { text } of log.faults) await faults.add(text);
  const queue = new Queue(new Appender(log, { key, maxBytes, witness, faults }));
  return {
    found: foundOf(log),
    append: (record) => queue.add(record),
    handOver: (next) => queue.add(next),
    problem: () => queue.problem,
    warnings: () => queue.warnings(),
    unkept: () => witness.suspend(true),
    close: () => queue.close(),
  };
}

function foundOf({ last, faults }: OpenLog): AuditLog['found'] {
  if (faults.some(({ incident }) => incident === 'audit-broken')) return 'broken';
  return last.seq === 0 ? 'new' : 'whole';
}

/** One flush at a time. Between flushes the file is checked, so that a removal is noticed. */
class Queue {
  problem = '';
  readonly #appender: Appender;
  readonly #looking: NodeJS.Timeout;
  /** If it could not write: when it tries again although nobody brings a record, on the monotonic clock. */
  #tryFrom = 0;
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

  add(entry: Waiting['entry']): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ entry, resolve, reject });
      this.#flushing ??= this.#flush();
    });
  }

  async close(): Promise<void> {
    clearInterval(this.#looking);
    await this.#flushing;
    await this.#appender.close();
  }

  /** Who asks whether the gateway is ready brings no record, so it finds out by itself when it can write again. */
  #look(): void {
    const isDue = this.problem === '' ? this.#appender.needsFlush() : performance.now() >= this.#tryFrom;
    if (this.#flushing === undefined && isDue) this.#flushing = this.#flush();
  }

  async #flush(): Promise<void> {
    do {
      const batch = nextBatch(this.#waiting);
      try {
        await this.#write(batch.map(({ entry }) => entry));
        this.problem = '';
        for (const { resolve } of batch) resolve();
      } catch (error) {
        this.problem = error instanceof Error ? error.message : String(error);
        this.#tryFrom = performance.now() + tryEveryMs;
        const refusal = new ClawrdenError('audit-unwritable', `the audit cannot be written: ${this.problem}`);
        for (const { reject } of batch) reject(refusal);
      }
    } while (this.#waiting.length > 0);
    this.#flushing = undefined;
  }

  async #write(entries: readonly Waiting['entry'][]): Promise<void> {
    const [first] = entries;
    if (first === undefined && this.problem !== '') await this.#appender.prove();
    else if (first !== undefined && isNextKey(first)) await this.#appender.handOver(first);
    else await this.#appender.write(entries.filter((entry): entry is AuditRecord => !isNextKey(entry)));
  }
}

/** What is written in one piece: a key is handed over between two pieces, alone. */
function nextBatch(waiting: Waiting[]): Waiting[] {
  const at = waiting.findIndex(({ entry }) => isNextKey(entry));
  const most = at === -1 ? recordsAtOnce : Math.min(recordsAtOnce, Math.max(at, 1));
  return waiting.splice(0, most);
}

function isNextKey(entry: AuditRecord | NextKey): entry is NextKey {
  return 'taken' in entry;
}

const lookEveryMs = 500;
const tryEveryMs = 2_000;
