import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createNextPiece } from './next-piece.ts';

test('A-533 P20: of pieces of any number of callers one runs in each turn, and none waits behind a later one', async () => {
  const callers = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(callers, async (pieces) => {
      const nextPiece = createNextPiece();
      const done: number[] = [];
      const working = pieces.map(async (count, caller) => {
        for (let piece = 0; piece < count; piece += 1) {
          await nextPiece();
          done.push(caller);
        }
      });
      let isOver = false;
      const ended = Promise.all(working).then(() => (isOver = true));
      const inTurns: number[] = [];
      for (await turn(); !isOver; ) {
        const before = done.length;
        await turn();
        inTurns.push(done.length - before);
      }
      await ended;
      expect(Math.max(0, ...inTurns)).toBeLessThanOrEqual(1);
      // Each caller that has pieces left gets one in each round.
      const rounds = Array.from({ length: Math.max(...pieces) }, (_, round) =>
        pieces.flatMap((count, caller) => (count > round ? [caller] : [])),
      );
      expect(done).toEqual(rounds.flat());
    }),
    { numRuns: 30 },
  );
});

test('a piece that nobody else waits with does not wait', async () => {
  const nextPiece = createNextPiece();
  let turns = 0;
  const counting = setImmediate(() => (turns += 1));
  await nextPiece();
  expect(turns).toBe(0);
  clearImmediate(counting);
});
