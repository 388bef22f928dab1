import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { closeGently, endLine } from './shim-end.ts';

test('A-81, A-83: what a refused command reads is one line of ASCII, whatever is in its reason', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(endLine('denied-by-rule', text).toString('latin1')).toMatch(
        /^clawrden: denied-by-rule: [\x20-\x7e]*\n$/,
      );
    }),
  );
});

test('A-365: a client that writes and does not read its output is not read, and may take its time for it', async () => {
  const server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as { port: number }).port, '127.0.0.1');
  const [ours] = (await once(server, 'connection')) as [Socket];
  server.close();
  client.on('error', () => {});
  client.pause();
  ours.resume();
  // More than the kernel takes.
  const output = 20_000_000;
  ours.write(Buffer.alloc(output));
  closeGently(ours);
  const flood = Buffer.alloc(1_000_000);
  const write = () => {
    while (client.writable && client.write(flood));
  };
  client.on('drain', write);
  write();
  await sleep(1500);
  expect(ours.bytesRead).toBeLessThan(2_000_000);
  let read = 0;
  client.on('data', (bytes: Buffer) => {
    read += bytes.length;
  });
  client.resume();
  await once(ours, 'close');
  await expect.poll(() => read).toBe(output);
  client.destroy();
});
