import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { version1 } from './requests.ts';
import { startRelay } from './start-relay.ts';

const chunkBytes = 32 * 1024;
const totalBytes = 64 * 1024 * 1024;

test('P22 a shim that does not read holds the gateway back; then it gets every byte', async () => {
  const chunk = randomBytes(chunkBytes);
  let sent = 0;
  await using relay = await startRelay({
    execute: async (_caller, _request, channel) => {
      void channel.send({ type: 'accepted', planHash: 'x' });
      for (; sent < totalBytes; sent += chunkBytes) await channel.send({ type: 'stdout', bytes: chunk });
      return { kind: 'exited', code: 7, signal: 0 };
    },
  });
  const shim = relay.shim().request(version1);
  await shim.until(() => shim.acks.length > 0);
  shim.socket.pause();
  await sleep(1000);
  const held = sent;
  await sleep(500);
  expect(sent).toBe(held);
  // The size of two HTTP/2 windows, and the kernel's buffers.
  expect(held).toBeLessThan(4 * 1024 * 1024);

  const received = createHash('sha256');
  let receivedBytes = 0;
  const take = (payload: Buffer) => {
    received.update(payload);
    receivedBytes += payload.length;
  };
  for (const { payload } of shim.frames.splice(0)) take(payload);
  shim.onStdout = take;
  shim.socket.resume();
  await shim.closed;
  const expected = createHash('sha256');
  for (let at = 0; at < totalBytes; at += chunkBytes) expected.update(chunk);
  expect(receivedBytes).toBe(totalBytes);
  expect(received.digest('hex')).toBe(expected.digest('hex'));
  expect(shim.exit).toEqual([7, 0]);
});
