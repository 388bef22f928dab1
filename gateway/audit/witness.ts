import type { Link } from '../../src/audit/chain.ts';

/** A second place that knows the last record, so that a missing log does not begin again without notice. */
export interface Witness {
  readonly recorded: () => Promise<Recorded>;
  /** Called only with records that are on the disk. */
  readonly record: (last: Link) => Promise<void>;
  /** While it is suspended it learns of no record: the next start reads them back from the log. */
  readonly suspend: (isSuspended: boolean) => void;
}

/**
 * The last record. `nothing`: there was no log yet. `something`: there was a log, of unknown length. `unknown`: only
 * the files count.
 */
export type Recorded = Link | 'nothing' | 'something' | 'unknown';

export const noWitness: Witness = {
  recorded: () => Promise.resolve('unknown'),
  record: () => Promise.resolve(),
  suspend: () => {},
};
