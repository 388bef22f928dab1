/** The first of each share, then the next of each: no share's rows hide another's. Each share keeps its order. */
export function inRounds<Row>(rows: readonly Row[], shareOf: (row: Row) => unknown): Row[] {
  const met = new Map<unknown, number>();
  const rounds = rows.map((row) => {
    const share = shareOf(row);
    const round = met.get(share) ?? 0;
    met.set(share, round + 1);
    return { row, round };
  });
  return rounds.sort((a, b) => a.round - b.round).map(({ row }) => row);
}
