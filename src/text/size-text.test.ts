import fc from 'fast-check';
import { expect, test } from 'vitest';
import { exactSize, sizeText } from './size-text.ts';

const bytesOf: Readonly<Record<string, number>> = {
  bytes: 1,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
  TiB: 1024 ** 4,
};

function read(text: string): readonly [count: number, bytes: number] {
  const [count = '', unit = ''] = text.split(' ');
  return [Number(count), Number(count) * (bytesOf[unit] ?? Number.NaN)];
}

test('a size in a table is below 1024 of its unit, and near the truth', () => {
  expect(sizeText(1023)).toBe('1023 bytes');
  expect(sizeText(1024 ** 2 - 1)).toBe('1.0 MiB');
  expect(sizeText(1500n * 1024n ** 2n)).toBe('1.5 GiB');
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 49 }), (bytes) => {
      const [count, shown] = read(sizeText(bytes));
      expect(count).toBeLessThan(1024);
      expect(Math.abs(shown - bytes)).toBeLessThanOrEqual(bytes * 0.05);
    }),
  );
});

test('an exact size is exact', () => {
  expect(exactSize(0)).toBe('0 bytes');
  expect(exactSize(1536)).toBe('1536 bytes');
  expect(exactSize(2048)).toBe('2 KiB');
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 49 }), fc.constantFrom(1, 1024, 1024 ** 2), (count, unit) => {
      fc.pre(count * unit <= Number.MAX_SAFE_INTEGER);
      expect(read(exactSize(count * unit))[1]).toBe(count * unit);
    }),
  );
});
