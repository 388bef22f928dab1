import { ClawrdenError } from '../../src/errors.ts';

/** A change by a person or a breaker, and the two places that keep it. */
export interface LastingChange {
  /** From this call on it counts in this process. */
  readonly apply: () => void;
  /** Where it survives this process. */
  readonly keep: () => Promise<unknown>;
  /** In the audit. */
  readonly record: () => Promise<unknown>;
  /** Before a record that only the audit will have: the next start applies it from there. */
  readonly unkept: () => void;
}

export interface LooserChange extends LastingChange {
  /** In the audit: it is as it was, although `record` says otherwise. */
  readonly recordStay: () => Promise<unknown>;
}

/**
 * If a change makes the gateway stricter, it counts at once, even if it cannot be kept. Rejects with a text that says
 * what is in force.
 */
export async function tighten(change: LastingChange): Promise<void> {
  change.apply();
  const fault = await faultOfKeeping(change);
  if (fault !== undefined) throw fault;
}

/** Tries both places: if one of them is full, the other may still work. */
export async function faultOfKeeping({
  keep,
  record,
  unkept: tellUnkept,
}: Omit<LastingChange, 'apply'>): Promise<ClawrdenError | undefined> {
  const unkept = await faultOf(keep());
  if (unkept !== undefined) tellUnkept();
  const unrecorded = await faultOf(record());
  if (unkept === undefined && unrecorded === undefined) return undefined;
  return new ClawrdenError(
    'audit-unwritable',
    `it is in force, ${whatLasts(unkept, unrecorded)}: ${unkept ?? unrecorded}`,
  );
}

function whatLasts(unkept: string | undefined, unrecorded: string | undefined): string {
  if (unkept === undefined) return 'and outlives a restart, and the audit has no record of it';
  if (unrecorded === undefined) return 'and a restart takes it from the audit';
  return 'but a restart undoes it, and the audit has no record of it';
}

/**
 * If a change makes the gateway less strict, it counts only once it is kept and recorded. Rejects if nothing has
 * changed.
 */
export async function loosen({ apply, keep, record, recordStay }: LooserChange): Promise<void> {
  const unrecorded = await faultOf(record());
  const unkept = unrecorded ?? (await faultOf(keep()));
  if (unkept === undefined) return apply();
  // Otherwise a start that reads the record back would make it count.
  if (unrecorded === undefined) await faultOf(recordStay());
  const audit = unrecorded === undefined ? ', although the audit has a record of it' : '';
  throw new ClawrdenError('audit-unwritable', `nothing has changed${audit}: ${unkept}`);
}

/** For what happens only once it is recorded. */
export async function recordedFirst(record: Promise<unknown>): Promise<void> {
  const unrecorded = await faultOf(record);
  if (unrecorded !== undefined)
    throw new ClawrdenError('audit-unwritable', `nothing has changed: ${unrecorded}`);
}

/** Undefined if the work succeeds, else its fault on one line. */
export async function faultOf(work: Promise<unknown>): Promise<string | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    return (error as Error).message.replaceAll(/\s+/g, ' ');
  }
}
