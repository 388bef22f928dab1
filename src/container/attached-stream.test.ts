import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { CrumbPace } from '../crumb-budgets.ts';
import { attachedStream } from './attached-stream.ts';

/** A stream, its connection and the other end, of which either side may end alone. */
async function connected(pace?: CrumbPace): Promise<{ stream: Duplex; socket: Socket; peer: Socket }> {
  const server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const [peer] = (await once(server, 'connection')) as [Socket];
  onTestFinished(() => {
    socket.destroy();
    peer.destroy();
    server.close();
  });
  // Its peer never reads unless told to.
  peer.pause();
  peer.on('error', () => {});
  return { stream: attachedStream(socket, undefined, pace), socket, peer };
}

/** As an engine frames what a container writes to its stdout. */
function framed(bytes: Buffer, to = 1): Buffer {
  const header = Buffer.alloc(8);
  header[0] = to;
  header.writeUInt32BE(bytes.length, 4);
  return Buffer.concat([header, bytes]);
}

const more = Buffer.alloc(32 * 1024 ** 2);

test('what waits to be written waits no longer once the container has ended, and its last words are read', async () => {
  const { stream, peer } = await connected();
  expect(stream.write(more)).toBe(false);
  const drained = once(stream, 'drain');
  peer.end(framed(Buffer.from('last words')));
  await drained;
  expect(Buffer.concat(await stream.toArray()).toString()).toBe('last words');
});

test('P21: one that is cut while nobody reads it ends, and is no fault of the process', async () => {
  const { stream, socket } = await connected();
  const closed = once(stream, 'close');
  socket.destroy();
  await closed.catch(() => {});
  expect([stream.destroyed, stream.errored]).toMatchObject([true, { code: 'ERR_STREAM_PREMATURE_CLOSE' }]);
});

test('what the container does not read waits', async () => {
  const { stream, peer } = await connected();
  expect(stream.write(more)).toBe(false);
  let isDrained = false;
  stream.once('drain', () => (isDrained = true));
  peer.write(framed(Buffer.from('words')));
  expect(String((await once(stream, 'data'))[0])).toBe('words');
  expect(isDrained).toBe(false);
  const got = new Promise<number>((resolve) => {
    let count = 0;
    peer.on('data', (chunk) => {
      count += chunk.length;
      if (count === more.length) resolve(count);
    });
    peer.resume();
  });
  expect(await got).toBe(more.length);
  await expect.poll(() => isDrained).toBe(true);
  stream.end();
  await once(peer, 'end');
});

test('its end is the end of the connection', async () => {
  const { stream, socket } = await connected();
  stream.destroy();
  await once(socket, 'close');
});

describe('A-560 P20: nobody need read for an engine that sends what brings nothing', {
  timeout: 10_000,
}, () => {
  test.each([
    ['pieces without a byte', framed(Buffer.alloc(0))],
    ['pieces of stderr', framed(Buffer.from('x'), 2)],
    ['pieces of an output that no container has', framed(Buffer.from('x'), 7)],
  ])('%s end its stream: the rules are broken', async (_what, piece) => {
    const { stream, socket, peer } = await connected();
    const failed = once(stream, 'error');
    const closed = new Promise((resolve) => socket.once('close', resolve));
    peer.write(Buffer.concat(Array.from({ length: 500_000 }, () => piece)));
    expect(await failed).toMatchObject([{ name: 'FrameError' }]);
    await closed;
    expect(socket.bytesRead).toBeLessThan(2_000_000);
  });

  test('last words of 64 KiB are taken, and those of a megabyte end it', async () => {
    const { stream, peer } = await connected();
    peer.write(framed(Buffer.alloc(64 * 1024, 'w'), 2));
    peer.write(framed(Buffer.from('goes on')));
    expect(String((await once(stream, 'data'))[0])).toBe('goes on');
    const failed = once(stream, 'error');
    peer.write(framed(Buffer.alloc(1024 ** 2, 'w'), 2));
    expect(await failed).toMatchObject([{ name: 'FrameError' }]);
  });

  test('small pieces of stdout have a rate, and ordinary ones cost nothing', async () => {
    const charged: number[] = [];
    const { stream, peer } = await connected((messages) => {
      charged.push(messages);
      return messages > 1 ? 400 : 0;
    });
    let bytes = 0;
    stream.on('data', (chunk: Buffer) => (bytes += chunk.length));
    peer.write(Buffer.concat(Array.from({ length: 32 }, () => framed(Buffer.alloc(8192)))));
    await expect.poll(() => bytes).toBe(32 * 8192);
    expect(charged.filter((cost) => cost > 1)).toEqual([]);
    peer.write(Buffer.concat(Array.from({ length: 200_000 }, () => framed(Buffer.from('x')))));
    await expect.poll(() => bytes).toBeGreaterThan(32 * 8192);
    // A chunk of what the peer wrote, and no more within half of the 400 ms that the pace lets it wait.
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(bytes).toBeLessThan(32 * 8192 + 20_000);
    expect(charged.at(-1)).toBeGreaterThan(1);
  });
});
