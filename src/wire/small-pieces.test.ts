import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import { type AddressInfo, connect, createServer as createTcp } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { countPiecesOf, joinSmallPieces } from './small-pieces.ts';

let joining: Disposable;
let floods: object[] = [];

function begin(): void {
  floods = [];
  joining = joinSmallPieces({ warn: (fields: object) => void floods.push(fields) });
}

beforeEach(begin);
afterEach(() => {
  vi.useRealTimers();
  joining[Symbol.dispose]();
});

const head = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
const chunked = (pieces: readonly Buffer[]) =>
  Buffer.concat([
    ...pieces.flatMap((piece) => [
      Buffer.from(`${piece.length.toString(16)}\r\n`),
      piece,
      Buffer.from('\r\n'),
    ]),
    Buffer.from('0\r\n\r\n'),
  ]);

async function listening(
  handle: (message: IncomingMessage) => void,
  owner?: string,
): Promise<{ server: Server; port: number }> {
  const server = createServer((message) => handle(message));
  server.on('connection', (socket) => void (owner !== undefined && countPiecesOf(socket, owner)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

/** Sends to a server of ours; resolves with what `take` makes of the request. */
async function received<T>(
  sent: readonly Buffer[],
  take: (message: IncomingMessage) => Promise<T>,
  owner?: string,
): Promise<T> {
  const taken = Promise.withResolvers<T>();
  const handle = (message: IncomingMessage) => void take(message).then(taken.resolve, taken.reject);
  const { server, port } = await listening(handle, owner);
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  socket.write(head);
  for (const bytes of sent) {
    socket.write(bytes);
    if (sent.length < 20) await sleep(2);
  }
  try {
    return await taken.promise;
  } finally {
    socket.destroy();
    server.close();
  }
}

async function whole(message: IncomingMessage): Promise<{ bytes: Buffer; pieces: number }> {
  const pieces: Buffer[] = [];
  for await (const piece of message) pieces.push(piece as Buffer);
  return { bytes: Buffer.concat(pieces), pieces: pieces.length };
}

test('A-440: what comes in pieces of every size is what was sent, by each way to read it', async () => {
  const piece = fc.oneof(
    { weight: 4, arbitrary: fc.uint8Array({ minLength: 1, maxLength: 12 }) },
    fc.uint8Array({ minLength: 200, maxLength: 6_000 }),
  );
  const ways: readonly ((message: IncomingMessage) => Promise<Buffer>)[] = [
    async (message) => (await whole(message)).bytes,
    async (message) => {
      const bytes: Buffer[] = [];
      message.on('data', (each: Buffer) => {
        bytes.push(each);
        message.pause();
        setImmediate(() => message.resume());
      });
      await once(message, 'end');
      return Buffer.concat(bytes);
    },
    async (message) => {
      const bytes: Buffer[] = [];
      await sleep(5);
      message.on('readable', () => {
        for (let each = message.read(); each !== null; each = message.read()) bytes.push(each as Buffer);
      });
      await once(message, 'end');
      return Buffer.concat(bytes);
    },
  ];
  await fc.assert(
    fc.asyncProperty(
      fc.array(piece, { maxLength: 60 }),
      fc.array(fc.nat(100_000), { maxLength: 4 }),
      fc.constantFrom(...ways),
      async (pieces, cuts, way) => {
        joining[Symbol.dispose]();
        begin();
        const sent = chunked(pieces.map((each) => Buffer.from(each)));
        const at = [0, ...cuts.map((cut) => cut % sent.length).toSorted((a, b) => a - b), sent.length];
        const parts = at.slice(1).map((to, index) => sent.subarray(at[index], to));
        expect((await received(parts, way)).equals(Buffer.concat(pieces))).toBe(true);
      },
    ),
    { numRuns: process.env['CLAWRDEN_LONG'] ? 500 : 60 },
  );
});

const letters = (count: number) => Array.from({ length: count }, () => Buffer.from('x'));

test('A-440: pieces of a byte that come together are few buffers, also behind a reader that waits', async () => {
  const { bytes, pieces } = await received([chunked(letters(3_000))], async (message) => {
    await sleep(50);
    return whole(message);
  });
  expect(bytes).toHaveLength(3_000);
  expect(pieces).toBeLessThan(5);
});

test('A-440 P20: content that comes byte by byte without end ends its connection, and others read on', async () => {
  const other = received([chunked([Buffer.alloc(100_000)])], whole);
  const seen = received([chunked(letters(100_000))], async (message) => {
    const outcome = await whole(message).catch((error: unknown) => error);
    return { outcome, complete: message.complete };
  });
  expect(await seen).toMatchObject({ outcome: expect.any(Error), complete: false });
  expect((await other).bytes).toHaveLength(100_000);
  expect(floods).toEqual([{ owner: '127.0.0.1', suppressed: 0 }]);
});

test('A-472 P20: messages of one owner have the rate together, and a small one of another connection goes on', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const lengthOf = async (count: number, owner?: string) =>
    await received(
      [chunked(letters(count))],
      (message) =>
        whole(message).then(
          ({ bytes }) => bytes.length,
          () => 'ended',
        ),
      owner,
    );
  const seen: unknown[] = [];
  for (let message = 0; message < 5; message += 1) seen.push(await lengthOf(3_000));
  expect(seen[0]).toBe(3_000);
  expect(seen).toContain('ended');
  expect(await lengthOf(10)).toBe(10);
  expect(await lengthOf(3_000, 'agent:writer')).toBe(3_000);
  expect(await lengthOf(4_000, 'agent:writer')).toBe('ended');
});

test('A-474 P20: connections that end so are a line a second of each owner, with the owner and a count', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const flood = async (owner: string) =>
    await received([chunked(letters(5_000))], (message) => whole(message).catch(() => {}), owner);
  for (const owner of ['agent:coder', 'agent:coder', 'agent:coder', 'agent:writer']) await flood(owner);
  expect(floods.splice(0)).toEqual([
    { owner: 'agent:coder', suppressed: 0 },
    { owner: 'agent:writer', suppressed: 0 },
  ]);
  vi.advanceTimersByTime(1000);
  await flood('agent:coder');
  expect(floods).toEqual([{ owner: 'agent:coder', suppressed: 2 }]);
});

test('A-440: a server that answers byte by byte is cut off, one that sends words a while apart is not', async () => {
  for (const [count, apart] of [
    [100_000, 0],
    [30, 5],
  ] as const) {
    const server = createTcp((socket) => {
      socket.on('error', () => {});
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
      void (async () => {
        if (apart === 0) return void socket.end(chunked(letters(count)));
        for (const letter of letters(count)) {
          socket.write(chunked([letter]).subarray(0, -5));
          await sleep(apart);
        }
        socket.end('0\r\n\r\n');
      })();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const call = request({
      port: (server.address() as AddressInfo).port,
      host: '127.0.0.1',
      agent: false,
    }).end();
    const [answer] = (await once(call, 'response')) as [IncomingMessage];
    const outcome = await whole(answer).catch((error: unknown) => error);
    if (apart === 0) expect(outcome).toBeInstanceOf(Error);
    else expect(outcome).toMatchObject({ bytes: Buffer.concat(letters(count)) });
    server.close();
  }
  expect(floods).toEqual([{ owner: '127.0.0.1', suppressed: 0 }]);
});
