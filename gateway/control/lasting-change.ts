import { ClawrdenError } from '../../src/errors.ts';

/** What an operator or a breaker changes, and the two places that keep it. */
export interface LastingChange {
  /** From then on it counts in this process. */
  readonly apply: () => void;
  /** Where it outlives this process. */
  readonly keep: () => Promise<unknown>;
  /** In the audit. */
  readonly record: () => Promise<unknown>;
}

/** What makes the gateway stricter counts at once, whether or not it can be kept. Rejects with what of it is so. */
export async function tighten(change: LastingChange): Promise<void> {
  change.apply();
  const fault = await faultOfKeeping(change);
  if (fault !== undefined) throw fault;
}

/** Both places are tried: that one of them is full says nothing of the other. */
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

/** What makes it less strict counts only once it is kept and recorded. Rejects where nothing has changed. */
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
