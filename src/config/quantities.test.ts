import { expect, test } from 'vitest';
import { parseDuration, parseSize } from './quantities.ts';

test.each([
  ['300ms', 300],
  ['30s', 30_000],
  ['5m', 300_000],
  ['1h30m', 5_400_000],
  ['1.5h', 5_400_000],
  ['2d', 172_800_000],
])('%s is %d ms', (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test.each(['', '5', '0s', '-1s', '5 m', '5M', 'm', '5m!', '1e3s', 'x5m', '٥m', '0.0001ms'])(
  '"%s" is no duration',
  (text) => {
    expect(parseDuration(text)).toBeUndefined();
  },
);

test.each([
  ['64k', 65_536],
  ['512m', 512 * 1024 ** 2],
  ['2G', 2 * 1024 ** 3],
  ['2gb', 2 * 1024 ** 3],
  ['1.5g', 1.5 * 1024 ** 3],
])('%s is %d bytes', (text, bytes) => {
  expect(parseSize(text)).toBe(bytes);
});

test.each(['', '5', '0m', '-1g', '2 g', 'g', '2gg', '2gib', '1e3m'])('"%s" is no size', (text) => {
  expect(parseSize(text)).toBeUndefined();
});
