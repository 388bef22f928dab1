import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createNextPiece } from '../../src/next-piece.ts';
import { createLookTurns } from './look-turns.ts';

const { signal } = new AbortController();

test('A-500, A-533 P20: others have the thread between the looks of many principals, also if none of them waits', async () => {
  const turns = createLookTurns(createNextPiece());
  let looked = 0;
  const all = Array.from({ length: 200 }, (_, at) =>
    turns.take(`a${at % 20}`, signal, async () => void (looked += 1)),
  );
  let most = 0;
  for (await turn(); looked < 200; ) {
    const before = looked;
    await turn();
    most = Math.max(most, looked - before);
  }
  await Promise.all(all);
  expect(most).toBe(1);
});

test('a look that fails, and one that nobody waits for, leave their places', async () => {
  const turns = createLookTurns(createNextPiece(), 1);
  const fails = turns.take('a', signal, () => Promise.reject(new Error('no')));
  const gone = new AbortController();
  const left = turns.take('a', gone.signal, async () => 'left');
  gone.abort(new Error('gone'));
  await expect(left).rejects.toThrow('gone');
  await expect(fails).rejects.toThrow('no');
  expect(await turns.take('a', signal, async () => 'next')).toBe('next');
});
