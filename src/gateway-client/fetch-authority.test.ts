import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { fetchAuthority } from './fetch-authority.ts';

/** The beginning of a record that would have 16 KiB of handshake, and then a byte of it now and then. */
const recordBegins = Buffer.from([0x16, 0x03, 0x03, 0x40, 0x00]);

test('a server that drips its handshake is given up, like one that says nothing', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => {}).write(recordBegins);
    const timer = setInterval(() => socket.write('\x02'), 50);
    socket.on('close', () => clearInterval(timer));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  try {
    await expect(fetchAuthority('127.0.0.1', port, 'pin', 500)).rejects.toThrow('no answer within 0.5 s');
  } finally {
    server.close();
  }
}, 5000);
