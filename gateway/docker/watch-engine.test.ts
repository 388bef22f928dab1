import { Readable } from 'node:stream';
import type Docker from 'dockerode';
import { expect, test } from 'vitest';
import { watchEngine } from './watch-engine.ts';

test('A-550: an engine is heard no longer than it is watched, also of lines that had come before', async () => {
  const line = `${JSON.stringify({ Type: 'image', Action: 'tag', time: 1 })}\n`;
  const stream = Object.assign(Readable.from([Buffer.from(line.repeat(5000))]), {
    headers: {},
    socket: { setKeepAlive: () => {} },
  });
  const docker = { getEvents: async () => stream } as unknown as Docker;
  const stop = new AbortController();
  let heard = 0;
  const onEvent = () => {
    heard += 1;
    if (heard === 1) setImmediate(() => stop.abort());
  };
  const departures = { gone: () => {}, expect: async () => {} };
  await watchEngine({ docker, gatewayId: 'g', departures }, { onEvent }, stop.signal);
  expect(heard).toBeLessThan(1000);
});
