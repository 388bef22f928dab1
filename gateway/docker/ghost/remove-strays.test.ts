import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Docker from 'dockerode';
import { expect, test } from 'vitest';
import { sparedContainers, startingContainers } from '../container/starting-containers.ts';
import { removeStrays } from './remove-strays.ts';

/** An engine with so many containers of ours; `onRemove` hears of each that it is to remove. */
async function engineOf(count: number, onRemove: (sofar: number) => void) {
  let removed = 0;
  const server = createServer(({ method }, response) => {
    if (method === 'DELETE') {
      removed += 1;
      onRemove(removed);
      return void response.writeHead(204).end();
    }
    const list = Array.from({ length: count }, (_, at) => ({ Id: `${at}`.padStart(64, '0'), Names: [] }));
    response.end(JSON.stringify(list));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const spared = sparedContainers();
  const docker = new Docker({ protocol: 'http', host: '127.0.0.1', port });
  const source = { docker, gatewayId: 'g', starting: startingContainers(spared) };
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { source, spared, removed: () => removed, [Symbol.dispose]: close };
}

test('all of ours are removed, but for those that are kept', async () => {
  using engine = await engineOf(10, () => {});
  const keep = new Set(['3'.padStart(64, '0')]);
  expect(await removeStrays(engine.source, keep, new AbortController().signal)).toBe(9);
});

test('A-372 P24: a sweep of however many containers ends when it is told to, and what is left is an error', async () => {
  const stop = new AbortController();
  using engine = await engineOf(1000, (sofar) => {
    if (sofar === 10) stop.abort(new Error('the gateway stops'));
  });
  await expect(removeStrays(engine.source, new Set(), stop.signal)).rejects.toThrow('the gateway stops');
  expect(engine.removed()).toBeLessThanOrEqual(12);
  expect(engine.spared.sweeps.size).toBe(0);
});
