import { EventEmitter } from 'node:events';
import type { ServerHttp2Stream } from 'node:http2';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RequestTurns } from './request-turns.ts';

const inTurn = 64 * 1024;

function setup() {
  const state = { waitMs: 0 };
  const turns = new RequestTurns({ waitMs: () => state.waitMs });
  const passed: number[] = [];
  const bring = (name: number, heavy: number) => {
    const stream = new EventEmitter() as unknown as ServerHttp2Stream;
    const piece = { bytes: Buffer.alloc(0), messages: 1, small: 0, heavy };
    if (turns.charge(piece, stream, () => passed.push(name))) passed.push(name);
    return stream;
  };
  return { state, passed, bring };
}

test('A-421 P20: of one peer so many bytes are handed on in a turn, or one message, in their order', async () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 2 * inTurn }), { minLength: 1, maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(sizes, async (all) => {
      const { passed, bring } = setup();
      for (const [name, size] of all.entries()) bring(name, size);
      for (let before = 0; before < all.length; await turn()) {
        const now = all.slice(before, passed.length);
        expect(now.length).toBeGreaterThan(0);
        if (now.length > 1) expect(now.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(inTurn);
        before = passed.length;
      }
      expect(passed).toEqual(all.map((_, name) => name));
    }),
    { numRuns: process.env['CLAWRDEN_LONG'] === '1' ? 1000 : 50 },
  );
});

test('A-421 P20: nothing more is handed on while the values of earlier messages are owed; other messages pass', async () => {
  const { state, passed, bring } = setup();
  state.waitMs = 5;
  bring(1, 100);
  bring(2, 0);
  await sleep(20);
  expect(passed).toEqual([2]);
  state.waitMs = 0;
  await expect.poll(() => passed).toEqual([2, 1]);
});

test('A-421: a call that is closed leaves the line', async () => {
  const { passed, bring } = setup();
  bring(1, inTurn);
  const closed = bring(2, inTurn);
  bring(3, inTurn);
  closed.emit('close');
  expect(closed.listenerCount('close')).toBe(0);
  await expect.poll(() => passed).toEqual([1, 3]);
});
