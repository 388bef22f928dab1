import type { Link } from '../../src/audit/chain.ts';

/** A second place that knows where the chain stands, so that a log that went missing is not begun anew in silence. */
export interface Witness {
  /** Undefined where there never was a log. */
  readonly recorded: () => Promise<Link | undefined>;
  /** Only what is on the disk already. */
  readonly record: (last: Link) => Promise<void>;
}

/** Knows nothing: the files alone count. */
export const noWitness: Witness = {
  recorded: () => Promise.resolve(undefined),
  record: () => Promise.resolve(),
};
