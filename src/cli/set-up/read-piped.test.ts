import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { readPiped } from './read-piped.ts';

const piped = (pieces: string[]) =>
  readPiped('login', '-', Readable.from(pieces.map((piece) => Buffer.from(piece))));

test('A-498: a code of standard input is its first line, however it comes', async () => {
  expect(await piped(['ab', 'c.d\nmore', '\n'])).toBe('abc.d');
  expect(await piped(['abc'])).toBe('abc');
  expect(await piped([' abc\r\n'])).toBe('abc');
  expect(await readPiped('login', 'abc')).toBe('abc');
});

test.each([[[]], [['\nabc\n']], [['x'.repeat(3000), 'x'.repeat(3000), '\n']]])(
  'A-498: %# is no line with one',
  async (pieces) => {
    await expect(piped(pieces)).rejects.toThrow(/^clawrden: login: no line with a code or a token came/);
  },
);

test('A-498: of what has no end no more is read', async () => {
  async function* endless() {
    for (;;) yield Buffer.alloc(1024, 'x');
  }
  await expect(readPiped('login', '-', endless())).rejects.toThrow('standard input');
});
