import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { attachedStream } from './attached-stream.ts';

/** A stream, its connection and the other end, of which either side may end alone. */
async function connected(): Promise<{ stream: Duplex; socket: Socket; peer: Socket }> {
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
  return { stream: attachedStream(socket).on('error', () => {}), socket, peer };
}

/** As an engine frames what a container writes to its stdout. */
function framed(bytes: Buffer): Buffer {
  const header = Buffer.alloc(8);
  header[0] = 1;
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
