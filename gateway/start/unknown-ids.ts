import { mostAheadMs } from '../../src/execution-id.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Recorded } from '../audit/witness.ts';

/** What a start found of the records that earlier ones left. */
export interface FoundRecords {
  /** What the database knew of the audit. */
  readonly recorded: Recorded;
  readonly audit: AuditLog['found'];
  /** Records of the audit that neither the database nor the files have. */
  readonly areMissing: boolean;
  readonly wasStartedBefore: boolean;
}

/** Whether both were lost: without anything else a start looks like the first one. */
export function areAllLost({ recorded, audit, wasStartedBefore }: FoundRecords): boolean {
  return wasStartedBefore && audit === 'new' && isNew(recorded);
}

/**
 * Execution ids up to this time may have been used without a trace; `undefined` if there are none. An id is accepted
 * some time ahead of our clock, so if nothing tells of the last minute, such ids count, too.
 */
export function unknownUpTo(found: FoundRecords, now: number): number | undefined {
  if (areAllLost(found) || found.areMissing) return now + mostAheadMs;
  if (found.audit === 'new' && isNew(found.recorded)) return undefined;
  // A new database with an audit has every id in it; only that its end was cut off would not be noticed.
  return found.audit === 'broken' || found.recorded === 'nothing' ? now : undefined;
}

/** A start that was killed may have left an empty database. */
function isNew(recorded: Recorded): boolean {
  return recorded === 'nothing' || (typeof recorded === 'object' && recorded.seq === 0);
}
