import { describe, expect, test } from 'vitest';
import { buildsOrOnly } from './carrier-process.ts';
import { CutExchanges } from './cut-exchanges.ts';

const long = process.env['CLAWRDEN_LONG'] === '1';
const first = Number(process.env['CLAWRDEN_SEED'] ?? 1);
const places = buildsOrOnly('sanitized');

describe.each(places)('an exchange that is cut ($name, $under)', ({ carrier, under }) => {
  const rounds = long ? 100 : 10;

  test(
    `23: at any frame to or from a carrier, or within it, each file is before or after and the next exchange converges (${rounds}, CLAWRDEN_SEED=${first})`,
    async () => {
      await using exchanges = await CutExchanges.make(carrier, under, first);
      for (let round = 1; round <= rounds; round++) expect(await exchanges.next()).toEqual([]);
      const { most, cuts } = exchanges;
      expect(Math.min(most.out, most.back)).toBeGreaterThan(30);
      expect(cuts.to + cuts.from).toBe(rounds - 2);
      expect(Math.min(cuts.to, cuts.from)).toBeGreaterThan(0);
    },
    long ? 900_000 : 60_000,
  );
});
