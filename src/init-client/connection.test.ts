import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Connection, windowUp } from './connection.ts';

function unread(): Connection {
  const nothing = () => {};
  return new Connection({ carry: nothing, room: nothing, finish: nothing, gone: nothing, waits: nothing });
}

/** Ends what comes, and reads it: the pieces that its reader gets. */
async function piecesOf(connection: Connection): Promise<Buffer[]> {
  const pieces: Buffer[] = [];
  connection.finished();
  connection.on('data', (piece: Buffer) => pieces.push(piece));
  await new Promise((resolve) => connection.on('end', resolve));
  return pieces;
}

test('A-424 P20: of a window that comes byte by byte and is not read few pieces are kept', async () => {
  const connection = unread();
  const sent = Buffer.from(Array.from({ length: windowUp }, (_, at) => at % 251));
  const taken = Array.from(sent, (_, at) => connection.came(sent.subarray(at, at + 1)));
  expect(taken.every(Boolean)).toBe(true);
  const pieces = await piecesOf(connection);
  expect(pieces.length).toBeLessThan(200);
  expect(Buffer.concat(pieces).equals(sent)).toBe(true);
});

test('what comes is read in its order, however it is cut', async () => {
  const size = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 3000 }));
  await fc.assert(
    fc.asyncProperty(fc.array(size, { maxLength: 20 }), async (sizes) => {
      const connection = unread();
      const sent = sizes.map((bytes, index) => Buffer.alloc(bytes, index + 1));
      expect(sent.map((bytes) => connection.came(bytes)).every(Boolean)).toBe(true);
      expect(Buffer.concat(await piecesOf(connection)).equals(Buffer.concat(sent))).toBe(true);
    }),
  );
});
