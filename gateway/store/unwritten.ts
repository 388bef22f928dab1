import type { Logger } from 'pino';
import { countedLog } from '../../src/counted-log.ts';
import { ClawrdenError } from '../../src/errors.ts';
import { createFaults, type Faults } from '../../src/faults.ts';

/** If the database could not write, nothing was done; SQLite's own words would not help a caller. */
export function unwritten(error: unknown): unknown {
  if (!isUnwritten(error)) return error;
  return new ClawrdenError('audit-unwritable', `nothing has changed: ${error.message}`);
}

/** A disk that is full or broken is foreseen. */
export function isUnwritten(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && /^SQLITE_(FULL|IOERR)/.test(String(error.code));
}

/** Faults of a gateway: of work behind its calls that such a disk keeps from being done, and that is done later, a line a minute. */
export function faultsBesideDisk(log: Pick<Logger, 'error' | 'warn'>): Faults {
  const warn = countedLog((fields, text) => log.warn(fields, text), 1 / 60, 1);
  return createFaults(log, (where, error) => {
    if (!isUnwritten(error)) return false;
    warn({ where, error: error.message }, 'the database cannot be written: this is tried again later');
    return true;
  });
}
