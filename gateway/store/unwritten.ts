import { ClawrdenError } from '../../src/errors.ts';

/** If the database could not write, nothing was done; SQLite's own words would not help a caller. */
export function unwritten(error: unknown): unknown {
  const { code, message } = error as { readonly code?: unknown; readonly message?: string };
  if (typeof code !== 'string' || !/^SQLITE_(FULL|IOERR)/.test(code)) return error;
  return new ClawrdenError('audit-unwritable', `nothing has changed: ${message}`);
}
