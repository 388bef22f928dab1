import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Input } from '../../../src/wire/execution-io.ts';
import { encodeFrame, FrameType } from '../../../src/wire/frames.ts';
import { ShimChannel } from './shim-channel.ts';

/** A shim's connection, and the relay's end of it. */
async function connected(): Promise<[shim: Socket, ours: Socket]> {
  const dir = mkdtempSync(join(tmpdir(), 'clawrden-channel-'));
  const server = createServer();
  onTestFinished(() => {
    server.close();
    rmSync(dir, { recursive: true });
  });
  await once(server.listen(join(dir, 'relay.sock')), 'listening');
  const shim = connect(join(dir, 'relay.sock'));
  const [ours] = (await once(server, 'connection')) as [Socket];
  onTestFinished(() => void shim.destroy());
  return [shim, ours];
}

test('A-517 P20: however many equal signals come together, a few go on, and all are charged', async () => {
  const [shim, ours] = await connected();
  let charged = 0;
  const channel = new ShimChannel(ours, 1, (frames) => {
    charged += frames.length;
    return 0;
  });
  const taken: Input[] = [];
  channel.listen((input) => {
    taken.push(input);
    return undefined;
  });
  shim.write(
    Buffer.concat(Array.from({ length: 6400 }, () => encodeFrame(FrameType.signal, Uint8Array.of(18)))),
  );
  await vi.waitFor(() => expect(charged).toBe(6400));
  await vi.waitFor(() => expect(taken.length).toBeGreaterThanOrEqual(100));
  expect(taken.length).toBeLessThan(200);
});
