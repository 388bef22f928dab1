import type { Link } from '../../src/audit/chain.ts';

/** A second place that knows where the chain stands, so that a log that went missing is not begun anew in silence. */
export interface Witness {
  readonly recorded: () => Promise<Recorded>;
  /** Only what is on the disk already. */
  readonly record: (last: Link) => Promise<void>;
}

/**
 * The last record; `nothing`: it is as new as the log must be; `something`: there was a log, of unknown length;
 * `unknown`: the files alone count.
 */
export type Recorded = Link | 'nothing' | 'something' | 'unknown';

export const noWitness: Witness = {
  recorded: () => Promise.resolve('unknown'),
  record: () => Promise.resolve(),
};
