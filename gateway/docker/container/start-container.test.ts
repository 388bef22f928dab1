import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Docker from 'dockerode';
import { expect, test } from 'vitest';
import { startContainer } from './start-container.ts';
import { sparedContainers, startingContainers } from './starting-containers.ts';

test('a start that was given up is cleaned up before the next one under its name begins', async () => {
  const calls: string[] = [];
  const server = createServer(({ method, url }, response) => {
    calls.push(`${method} ${url?.split('?')[0]}`);
    response.writeHead(204).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const docker = new Docker({ protocol: 'http', host: '127.0.0.1', port });
  const source = {
    docker,
    host: 'build',
    log: { warn: () => {} } as never,
    starting: startingContainers(sparedContainers()),
  };

  const slow = Promise.withResolvers<Docker.Container>();
  const stopped = new AbortController();
  const first = startContainer(
    source,
    'same',
    () => slow.promise,
    async () => 'first',
    stopped.signal,
  );
  stopped.abort(new Error('given up'));
  await expect(first).rejects.toThrow('given up');

  const second = startContainer(
    source,
    'same',
    async () => {
      calls.push('second');
      return docker.getContainer('second');
    },
    async () => 'second',
    AbortSignal.timeout(10_000),
  );
  const impatient = startContainer(source, 'same', never, never, AbortSignal.timeout(10));
  await expect(impatient).rejects.toThrow('timeout');
  expect(calls).toEqual([]);
  slow.resolve(docker.getContainer('first'));
  await expect(second).resolves.toBe('second');
  expect(calls).toEqual(['DELETE /containers/same', 'second']);
  server.close();
});

const never = (): Promise<never> => Promise.reject(new Error('called'));
