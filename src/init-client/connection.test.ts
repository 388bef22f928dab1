import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Connection, windowUp } from './connection.ts';

function unread(): Connection {
  const nothing = () => {};
  return new Connection({ carry: nothing, room: nothing, finish: nothing, gone: nothing, waits: nothing });
}

/** Ends what comes, and reads it: the pieces that its reader gets. */
async function piecesOf(connection: Connection, pieces: Buffer[] = []): Promise<Buffer[]> {
  connection.finished();
  connection.on('data', (piece: Buffer) => pieces.push(piece)).resume();
  await new Promise((resolve) => connection.on('end', resolve));
  return pieces;
}

const window = Buffer.from(Array.from({ length: windowUp }, (_, at) => at % 251));

function byteByByte(connection: Connection): void {
  const taken = Array.from(window, (_, at) => connection.came(window.subarray(at, at + 1)));
  expect(taken.every(Boolean)).toBe(true);
}

test('A-424 P20: of a window that comes byte by byte and is not read few pieces are kept', async () => {
  const connection = unread();
  byteByByte(connection);
  const pieces = await piecesOf(connection);
  expect(pieces.length).toBeLessThan(200);
  expect(Buffer.concat(pieces).equals(window)).toBe(true);
});

test.each(['data', 'readable'])(
  'A-473 P20: nor of one whose reader (%s) began, and reads no more',
  async (way) => {
    const connection = unread();
    const nothing = () => {};
    connection.on(way, nothing);
    await setImmediate();
    connection.off(way, nothing).pause();
    byteByByte(connection);
    const pieces = await piecesOf(connection);
    expect(pieces.length).toBeLessThan(200);
    expect(Buffer.concat(pieces).equals(window)).toBe(true);
  },
);

test('what comes is read in its order, however it is cut, and whenever its reader reads', async () => {
  const size = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 3000 }));
  const pauses = fc.array(fc.boolean(), { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(fc.array(size, { maxLength: 20 }), pauses, async (sizes, waits) => {
      const connection = unread();
      const pieces: Buffer[] = [];
      if (waits[0] === true) connection.on('data', (piece: Buffer) => pieces.push(piece));
      const sent = sizes.map((bytes, index) => Buffer.alloc(bytes, index + 1));
      for (const [at, bytes] of sent.entries()) {
        expect(connection.came(bytes)).toBe(true);
        const isPaused = waits[at % waits.length];
        if (isPaused === true) connection.pause();
        else if (waits[0] === true) connection.resume();
        if (at % 3 === 0) await setImmediate();
      }
      if (waits[0] !== true) await piecesOf(connection, pieces);
      else {
        connection.finished();
        connection.resume();
        await new Promise((resolve) => connection.on('end', resolve));
      }
      expect(Buffer.concat(pieces).equals(Buffer.concat(sent))).toBe(true);
    }),
  );
});

test('what was held back is there by each call of read', async () => {
  const connection = unread();
  byteByByte(connection);
  connection.finished();
  const pieces: Buffer[] = [];
  connection.on('readable', () => {
    for (let piece: unknown = connection.read(); piece !== null; piece = connection.read())
      pieces.push(piece as Buffer);
  });
  await new Promise((resolve) => connection.on('end', resolve));
  expect(Buffer.concat(pieces).equals(window)).toBe(true);
});
