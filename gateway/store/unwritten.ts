import { ClawrdenError } from '../../src/errors.ts';

/** If the database could not write, nothing was done; SQLite's own words would not help a caller. */
export function unwritten(error: unknown): unknown {
  if (!isUnwritten(error)) return error;
  return new ClawrdenError('audit-unwritable', `nothing has changed: ${(error as Error).message}`);
}

/** A disk that is full or broken is foreseen. */
export function isUnwritten(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' && /^SQLITE_(FULL|IOERR)/.test(code);
}
