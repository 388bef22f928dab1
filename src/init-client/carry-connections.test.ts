import { duplexPair } from 'node:stream';
import { expect, test } from 'vitest';
import { encodeFrame, FrameType } from '../wire/frames.ts';
import { carryConnections } from './carry-connections.ts';
import { mostUnread } from './connections.ts';

test('A-295 P22: a lane ends that has us answer and reads nothing of it', async () => {
  const [ours, theirs] = duplexPair();
  const never = new AbortController().signal;
  const carried = carryConnections(
    ours,
    () => {},
    () => 0,
    never,
  ).catch((error: unknown) => error);
  // As if it had been answered for a while.
  ours.write(Buffer.alloc(mostUnread - 600));
  const pair = [FrameType.opened, FrameType.gone].map((type) => encodeFrame(type, Buffer.of(0)));
  for (let n = 0; n < 200 && !ours.destroyed; n += 1)
    await Promise.race([carried, new Promise((resolve) => theirs.write(Buffer.concat(pair), resolve))]);
  expect(ours.destroyed).toBe(true);
  expect(await carried).toMatchObject({ name: 'InitFault', kind: 'broke' });
});
