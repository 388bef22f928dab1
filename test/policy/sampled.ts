const seed = Number(process.env['CLAWRDEN_SEED'] ?? 0);

/** At most `most` of them, spread over all; others for another CLAWRDEN_SEED. */
export function sampled<T>(all: readonly T[], most: number): T[] {
  const rank = (at: number) => Math.imul(at + 1 + seed * 7919, 0x9e3779b1) >>> 0;
  const order = all.map((one, at) => ({ one, rank: rank(at) })).toSorted((a, b) => a.rank - b.rank);
  return order.slice(0, most).map(({ one }) => one);
}
