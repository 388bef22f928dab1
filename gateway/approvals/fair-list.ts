import { inRounds } from '../../src/in-rounds.ts';

/** For each share: the turn of its last row that was shown. */
export type Marks = ReadonlyMap<number, number>;

export interface FairRow<Row> {
  readonly row: Row;
  /** The share of the row, as a number that this list gave. */
  readonly share: number;
  /** The position in which this list first met the row. */
  readonly turn: number;
}

/**
 * Rows in an order in which no share hides another: the oldest of each share, then the next of each. `behind` has the
 * marks of the rows that were shown already; the rest of each share keeps its order, whatever has gone meanwhile.
 * `rows` has all present rows, the oldest first.
 */
export type FairList<Row> = (rows: readonly Row[], behind: Marks) => FairRow<Row>[];

export function createFairList<Row>(
  keyOf: (row: Row) => string,
  shareOf: (row: Row) => string,
): FairList<Row> {
  let known = new Map<string, FairRow<Row>>();
  let shares = new Map<string, number>();
  let [turns, numbers] = [0, 0];

  function meet(row: Row): FairRow<Row> {
    const name = shareOf(row);
    const share = shares.get(name) ?? (numbers += 1);
    shares.set(name, share);
    const turn = known.get(keyOf(row))?.turn ?? (turns += 1);
    return { row, share, turn };
  }

  return (rows, behind) => {
    const present = rows.map(meet);
    known = new Map(present.map((each) => [keyOf(each.row), each]));
    shares = new Map(present.map((each) => [shareOf(each.row), each.share]));
    const left = present.filter(({ share, turn }) => turn > (behind.get(share) ?? 0));
    return inRounds(
      left.sort((a, b) => a.turn - b.turn),
      ({ share }) => share,
    );
  };
}
