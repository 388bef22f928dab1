import { EventEmitter } from 'node:events';
import type { ServerHttp2Stream } from 'node:http2';
import { expect, test } from 'vitest';
import { ExecutionServiceService } from '../../../src/gen/clawrden/v1/execution.ts';
import type { Connection } from './connection.ts';
import { nameLimits, PeerShare } from './peer-share.ts';
import { servedOver } from './served-call.ts';

test('A-422 P22: small messages of a command wait before they are decoded, from when it is known whose they are', async () => {
  const share = new PeerShare(nameLimits);
  const connection = { admission: undefined, place: undefined, share } as unknown as Connection;
  const counted = { countAsLane: () => {} };
  const served = servedOver(connection, ExecutionServiceService.execute.path, [], counted);
  const stream = new EventEmitter() as unknown as ServerHttp2Stream;
  let passed = 0;
  const piece = { bytes: Buffer.alloc(0), messages: 3, small: 3, heavy: 0 };
  const charge = () => served.charge(piece, stream, () => (passed += 1));
  expect(charge()).toBe(true);
  const asked: number[] = [];
  served.paceBy((messages) => {
    asked.push(messages);
    return 20;
  });
  expect(charge()).toBe(false);
  expect(passed).toBe(0);
  await expect.poll(() => passed).toBe(1);
  expect(asked).toEqual([3]);
});
