import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFairList, type Marks } from './fair-list.ts';

interface Row {
  readonly id: number;
  readonly agent: string;
}

const agents = ['a', 'b', 'c', 'd'];
/** Changes between two pages: some rows come, some go. */
const change = fc.record({
  come: fc.array(fc.constantFrom(...agents), { maxLength: 12 }),
  go: fc.array(fc.nat(40), { maxLength: 8 }),
  take: fc.integer({ min: 1, max: 12 }),
});
const flood = fc
  .tuple(fc.constantFrom(...agents), fc.nat(60))
  .map(([agent, count]) => Array(count).fill(agent) as string[]);

test('A-79: what is there all along comes exactly once, whatever comes and goes between the pages', () => {
  fc.assert(
    fc.property(flood, fc.array(change, { minLength: 1, maxLength: 40 }), (first, changes) => {
      const list = createFairList<Row>(
        ({ id }) => `${id}`,
        ({ agent }) => agent,
      );
      let next = 0;
      let rows: Row[] = first.map((agent) => ({ id: (next += 1), agent }));
      const marks = new Map<number, number>();
      const shown: number[] = [];
      const atFirst = new Set(rows.map(({ id }) => id));
      for (const { take } of changes.slice(0, 1)) page(take);
      for (const { come, go, take } of changes) {
        rows = rows.filter((_row, index) => !go.includes(index));
        rows.push(...come.map((agent) => ({ id: (next += 1), agent })));
        page(take);
      }
      while (page(7) > 0);
      const allAlong = rows.filter(({ id }) => atFirst.has(id)).map(({ id }) => id);
      expect(new Set(shown).size).toBe(shown.length);
      expect(allAlong.filter((id) => !shown.includes(id))).toEqual([]);

      function page(size: number): number {
        const some = list(rows, marks satisfies Marks).slice(0, size);
        for (const { row, share, turn } of some) {
          shown.push(row.id);
          marks.set(share, turn);
        }
        return some.length;
      }
    }),
  );
});

test('A-79 P20: every page begins with one row of each agent that has any, its oldest, whatever other agents have', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...agents), { minLength: 1, maxLength: 200 }), (owners) => {
      const rows = owners.map((agent, id): Row => ({ id, agent }));
      const list = createFairList<Row>(
        ({ id }) => `${id}`,
        ({ agent }) => agent,
      );
      const order = list(rows, new Map()).map(({ row }) => row);
      const present = new Set(owners);
      const head = order.slice(0, present.size);
      expect(new Set(head.map(({ agent }) => agent))).toEqual(present);
      for (const { agent, id } of head) expect(owners.indexOf(agent)).toBe(id);
      for (const agent of present) {
        const own = order.filter((row) => row.agent === agent).map(({ id }) => id);
        expect(own).toEqual(own.toSorted((a, b) => a - b));
      }
    }),
  );
});
