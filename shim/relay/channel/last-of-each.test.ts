import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lastOfEach } from './last-of-each.ts';
import type { ShimInput } from './shim-input.ts';

const input: fc.Arbitrary<ShimInput> = fc.oneof(
  fc.constantFrom(1, 2, 15, 18, 20).map((signal): ShimInput => ({ type: 'signal', signal })),
  fc.nat(500).map((cols): ShimInput => ({ type: 'resize', size: { cols, rows: 24 } })),
  fc.constantFrom(1 as const, 2 as const).map((fd): ShimInput => ({ type: 'closed', fd })),
  fc.uint8Array({ minLength: 1, maxLength: 4 }).map((bytes): ShimInput => ({ type: 'stdin', bytes })),
  fc.constantFrom<ShimInput>({ type: 'stdin-end' }, { type: 'cancel' }),
);
const isControl = ({ type }: ShimInput) => type === 'signal' || type === 'resize' || type === 'closed';
const nameOf = (one: ShimInput) => JSON.stringify(one.type === 'resize' ? one.type : one);

test('A-517 P20: of a turn each control goes on once, behind all that came before its last time', () => {
  fc.assert(
    fc.property(fc.array(input, { maxLength: 64 }), (turn) => {
      // Bytes, ends and cancels are all there, and everything is in its place.
      const isLast = (one: ShimInput, at: number) =>
        turn.findLastIndex((other) => isControl(other) && nameOf(other) === nameOf(one)) === at;
      expect(lastOfEach(turn)).toEqual(turn.filter((one, at) => !isControl(one) || isLast(one, at)));
    }),
  );
  const flood: ShimInput[] = Array.from({ length: 64 }, () => ({ type: 'signal', signal: 18 }));
  expect(lastOfEach(flood)).toEqual([{ type: 'signal', signal: 18 }]);
});
