import { EventEmitter, once } from 'node:events';
import type { Http2SecureServer } from 'node:http2';
import { Socket } from 'node:net';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createFaults } from '../../../src/faults.ts';
import { Front } from './front.ts';
import { callersPace } from './pace.ts';

/** As the kernel gives both ends once more to a peer whose connection before is closed. */
function sameEnds(): Socket {
  const ends = { localAddress: '::1', localPort: 8443, remoteAddress: '::1', remotePort: 40_000 };
  const fields = Object.entries(ends).map(([name, value]) => [name, { value }]);
  return Object.defineProperties(new Socket(), Object.fromEntries(fields) as PropertyDescriptorMap);
}

test('P6: a connection is looked at until it closes, also if one of the same two ends closes later than it came', async () => {
  const log = pino({ level: 'silent' });
  const limits = { connections: 10, perAddress: 10 };
  const server = new EventEmitter() as Http2SecureServer;
  const front = new Front({ limits, pace: callersPace, faults: createFaults(log), log });
  front.attach(server);
  const [before, after] = [sameEnds(), sameEnds()];
  for (const socket of [before, after]) server.emit('connection', socket);
  before.destroy();
  await once(before, 'close');
  // What ends every connection that is known.
  front[Symbol.dispose]();
  expect(after.destroyed).toBe(true);
});
