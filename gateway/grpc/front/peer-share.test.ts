import { EventEmitter } from 'node:events';
import type { ServerHttp2Stream } from 'node:http2';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nameLimits, PeerShare } from './peer-share.ts';

const aStream = () => Object.assign(new EventEmitter(), { destroyed: false }) as unknown as ServerHttp2Stream;

test('P20: of all calls that come, so many are open at once, and what they wait for is never one too many', () => {
  const steps = fc.array(fc.constantFrom('call', 'call', 'ahead', 'close'), { maxLength: 60 });
  fc.assert(
    fc.property(steps, (does) => {
      const share = new PeerShare({ ...nameLimits, calls: 5, callsPerSecond: 1000 }, () => 0);
      const open: ServerHttp2Stream[] = [];
      for (const step of does) {
        if (step === 'close') {
          open.shift()?.emit('close');
          continue;
        }
        const stream = aStream();
        const refused = share.take(stream, step === 'ahead');
        expect(refused).toBe(step === 'call' && open.length >= 5 ? 'more than 5 calls at once' : undefined);
        if (refused === undefined) open.push(stream);
      }
    }),
  );
});
