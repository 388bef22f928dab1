import { expect, test } from 'vitest';
import { tokenNote } from './token-note.ts';

const now = Date.parse('2026-11-22T12:00:00Z');
const day = 86_400_000;
const at = (days: number) => new Date(now + days * day).toISOString();

test.each([
  ['fresh', '', '', at(-1), ''],
  ['used', '', at(-89), at(-400), ''],
  ['never used', '', '', at(-91), 'not used for 90 days'],
  ['not used lately', at(8), at(-91), at(-400), 'not used for 90 days'],
  ['to end', at(6), at(-1), at(-2), 'ends within 7 days'],
  ['to end, and not used', at(6), at(-91), at(-400), 'ends within 7 days'],
  ['over', at(0), at(-1), at(-2), 'has ended'],
])('a token that is %s', (_what, expiresAt, usedAt, setAt, note) => {
  expect(tokenNote({ expiresAt, usedAt, setAt }, now)).toBe(note);
});
