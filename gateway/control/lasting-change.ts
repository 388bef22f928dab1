import { ClawrdenError } from '../../src/errors.ts';

/** A change by an operator or a breaker, and the two places that keep it. */
export interface LastingChange {
  /** From this call on it counts in this process. */
  readonly apply: () => void;
  /** Where it survives this process. */
  readonly keep: () => Promise<unknown>;
  /** In the audit. */
  readonly record: () => Promise<unknown>;
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
}: Omit<LastingChange, 'apply'>): Promise<ClawrdenError | undefined> {
  const unkept = await faultOf(keep());
  const unrecorded = await faultOf(record());
  if (unkept === undefined && unrecorded === undefined) return undefined;
  const restart = unkept === undefined ? 'and outlives a restart' : 'but a restart undoes it';
  const audit = unrecorded === undefined ? '' : ', and the audit has no record of it';
  return new ClawrdenError('audit-unwritable', `it is in force, ${restart}${audit}: ${unkept ?? unrecorded}`);
}

/**
 * If a change makes the gateway less strict, it counts only once it is kept and recorded. Rejects if nothing has
 * changed.
 */
export async function loosen({ apply, keep, record }: LastingChange): Promise<void> {
  const unrecorded = await faultOf(record());
  const unkept = unrecorded ?? (await faultOf(keep()));
  if (unkept === undefined) return apply();
  const audit = unrecorded === undefined ? ', although the audit has a record of it' : '';
  throw new ClawrdenError('audit-unwritable', `nothing has changed${audit}: ${unkept}`);
}

async function faultOf(work: Promise<unknown>): Promise<string | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    return (error as Error).message.replaceAll(/\s+/g, ' ');
  }
}
