import type { KeyObject } from 'node:crypto';
import { type Link, longestLine } from '../../src/audit/chain.ts';
import { createInTurn } from '../../src/in-turn.ts';
import type { AuditRecord, IncidentRecord, SigningKeyRecord } from './audit-record.ts';
import { chainLines, type Lines, signedHandOver, signedHead } from './chain-lines.ts';
import { type FaultNotes, isNoted } from './fault-notes.ts';
import type { LogFile } from './log-file.ts';
import { beginNewFile, findRoom } from './new-file.ts';
import type { LogFault, OpenLog } from './open-log.ts';
import type { Witness } from './witness.ts';

/** A signing key that follows the present one. */
export interface NextKey {
  readonly key: KeyObject;
  readonly record: SigningKeyRecord;
  /** It signs from now on: its record is on the disk. */
  readonly taken: () => void;
}

export interface AppenderOptions {
  readonly key: KeyObject;
  readonly maxBytes: number;
  readonly witness: Witness;
  readonly faults: FaultNotes;
}

/** The most records between two signed heads, and the time after which the next record gets one. */
const headEvery = { records: 1000, ms: 10 * 60_000 };
/** If a file cannot be renamed it grows until this time, then the appender tries again. */
const rotateAgainMs = 10_000;
const recordWithinMs = 500;
const mostUnsaved = 10;

/**
 * Writes to the newest file of the log, renames it when it is full, and begins another file if the file was removed.
 */
export class Appender {
  readonly #options: AppenderOptions;
  #key: KeyObject;
  #file: LogFile;
  #last: Link;
  #unsigned = 0;
  /** On the monotonic clock, like all times here. */
  #signedAt = performance.now();
  #rotateFrom = 0;
  #rotationProblem = '';
  /** Not written yet. */
  #incidents: IncidentRecord[] = [];
  /** Not in the notes yet. */
  #unsaved: string[] = [];
  #recording: NodeJS.Timeout | undefined;
  readonly #inTurn = createInTurn();

  constructor({ file, last, faults }: OpenLog, options: AppenderOptions) {
    this.#file = file;
    this.#last = last;
    this.#options = options;
    this.#key = options.key;
    for (const fault of faults) this.#report(fault);
  }

  warnings(): readonly string[] {
    const problem = this.#rotationProblem === '' ? [] : [this.#rotationProblem];
    const notes = readNotes(this.#options.faults);
    // While a note is being saved it is in both places.
    const unsaved = this.#unsaved.filter((fault) => !isNoted(notes, fault));
    return [...notes, ...unsaved, ...problem];
  }

  /** Whether there is something to write although no caller brought a record. */
  needsFlush(): boolean {
    return this.#incidents.length > 0 || this.#file.fault() !== '';
  }

  async write(records: readonly AuditRecord[]): Promise<void> {
    const fault = this.#file.fault();
    if (fault !== '') await this.#goOnElsewhere(fault);
    else if (this.#file.end >= this.#options.maxBytes) await this.#rotate();
    const due = [...this.#incidents, ...records];
    if (due.length === 0) return;
    const many = this.#unsigned + due.length >= headEvery.records;
    const signed = many || performance.now() - this.#signedAt >= headEvery.ms;
    await this.#append(due, signed);
    this.#incidents = [];
  }

  /** Rejects while a record, of whatever length, could not be written; otherwise a signed head is. */
  async prove(): Promise<void> {
    // A head may fit into the rest of the log's last block when nothing else fits.
    await findRoom(this.#file.path, longestLine);
    await this.write([]);
    await this.#append([], true);
  }

  /** The former key signs this last record. */
  async handOver({ key, record, taken }: NextKey): Promise<void> {
    await this.write([]);
    const lines = signedHandOver(record, this.#last, this.#key, key);
    await this.#put(lines);
    this.#key = key;
    taken();
    this.#signed();
  }

  async close(): Promise<void> {
    if (this.#unsigned > 0) await this.#append([], true).catch(() => {});
    clearTimeout(this.#recording);
    await this.#record();
    await this.#file.close();
  }

  async #append(records: readonly AuditRecord[], signed: boolean): Promise<void> {
    const lines = chainLines(records, this.#last);
    const head = signed ? signedHead(lines.last, this.#key) : undefined;
    await this.#put({ text: lines.text + (head?.text ?? ''), last: (head ?? lines).last });
    this.#unsigned += records.length;
    if (signed) this.#signed();
  }

  async #put({ text, last }: Lines): Promise<void> {
    await this.#file.append(text);
    this.#last = last;
    this.#recording ??= setTimeout(() => void this.#record(), recordWithinMs).unref();
  }

  #signed(): void {
    this.#unsigned = 0;
    this.#signedAt = performance.now();
  }

  /** If the second place fails, it lags behind until the next record; others report the database's own problem. */
  async #record(): Promise<void> {
    this.#recording = undefined;
    await this.#inTurn(() => this.#keep()).catch(() => {});
  }

  /** The notes come first: if the log matches the second place, a start reports nothing more. */
  async #keep(): Promise<void> {
    const last = this.#last;
    for (const text of this.#unsaved) await this.#options.faults.add(text);
    this.#unsaved = [];
    await this.#options.witness.record(last);
  }

  /** If a file cannot be renamed, the log continues in it: nothing is lost, and no work stops. */
  async #rotate(): Promise<void> {
    if (performance.now() < this.#rotateFrom) return;
    await this.#record();
    try {
      await this.#begin();
      this.#rotationProblem = '';
    } catch (error) {
      this.#rotateFrom = performance.now() + rotateAgainMs;
      this.#rotationProblem = `the full audit ${this.#file.path} cannot be put aside: ${(error as Error).message}`;
    }
  }

  async #goOnElsewhere(fault: string): Promise<void> {
    const { path } = this.#file;
    await this.#begin();
    const text = `the audit ${path} was changed while it was written: ${fault}; it went up to record ${this.#last.seq}`;
    this.#report({ incident: 'audit-broken', text });
    if (this.#unsaved.length < mostUnsaved) this.#unsaved.push(text);
  }

  async #begin(): Promise<void> {
    const before = this.#file;
    this.#file = await beginNewFile(before.path, this.#last.seq);
    await before.close().catch(() => {});
  }

  #report({ incident, text }: LogFault): void {
    this.#incidents.push({ type: 'incident', incident, caller: '', text });
  }
}

/** Notes that cannot be read are a problem, too. */
function readNotes(faults: FaultNotes): readonly string[] {
  try {
    return faults.read();
  } catch (error) {
    return [`the audit's notes cannot be read: ${(error as Error).message}`];
  }
}
