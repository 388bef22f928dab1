import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import Docker from 'dockerode';
import { expect, test } from 'vitest';
import { gatewayLabel } from '../../src/agent-container.ts';
import type { EngineEvent } from '../ports/engine.ts';
import { watchEngine } from './watch-engine.ts';

/** What is heard of an engine that tells of these ends. */
async function heard(ends: readonly { readonly exitCode?: unknown; readonly time?: unknown }[]) {
  const lines = ends.map(({ exitCode, time }, index) => {
    const Attributes = { [gatewayLabel]: 'gw-1', exitCode };
    const Actor = { ID: `c${index}`, Attributes };
    return `${JSON.stringify({ Type: 'container', Action: 'die', Actor, time })}\n`;
  });
  const server = createServer((_request, response) => void response.end(lines.join('')));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const docker = new Docker({ protocol: 'http', host: '127.0.0.1', port });
  const events: EngineEvent[] = [];
  const departures = { expect: async () => {}, gone: () => {} };
  const source = { docker, gatewayId: 'gw-1', departures };
  const onEvent = (event: EngineEvent) => events.push(event);
  await watchEngine(source, { until: 1, onEvent }, new AbortController().signal);
  server.closeAllConnections();
  server.close();
  return events;
}

test('A-427 P24: of an end that an engine tells only numbers count that can be', async () => {
  const codes = ['0', '137', '255', '256', '-1', '1.5', '1e300', 'x', '', undefined, { valueOf: 7 }];
  const events = await heard(codes.map((exitCode) => ({ exitCode, time: 12 })));
  const exits = events.map((event) => 'exitCode' in event && event.exitCode);
  expect(exits).toEqual([0, 137, 255, ...Array.from({ length: 8 }, () => undefined)]);
  const times = [12, '12', -1, 1.5, 1e300, 'x'.repeat(1000), undefined];
  expect((await heard(times.map((time) => ({ time })))).map(({ at }) => at)).toEqual([12, 12, 0, 0, 0, 0, 0]);
});

test('A-550: an engine is heard no longer than it is watched, also of lines that had come before', async () => {
  const line = `${JSON.stringify({ Type: 'image', Action: 'tag', time: 1 })}\n`;
  const stream = Object.assign(Readable.from([Buffer.from(line.repeat(5000))]), {
    headers: {},
    socket: { setKeepAlive: () => {} },
  });
  const docker = { getEvents: async () => stream } as unknown as Docker;
  const stop = new AbortController();
  let count = 0;
  const onEvent = () => {
    count += 1;
    if (count === 1) setImmediate(() => stop.abort());
  };
  const departures = { gone: () => {}, expect: async () => {} };
  await watchEngine({ docker, gatewayId: 'gw-1', departures }, { onEvent }, stop.signal);
  expect(count).toBeLessThan(1000);
});
