import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Docker from 'dockerode';
import { expect, test } from 'vitest';
import { createAlone } from './create-alone.ts';

/** An engine that says that the name is taken so often, and the calls that it had. */
async function engineWith(taken: number) {
  const calls: string[] = [];
  const server = createServer((request, response) => {
    request.resume();
    calls.push(request.method ?? '');
    const [status, answer] =
      request.method === 'DELETE'
        ? [404, { message: 'No such container' }]
        : calls.filter((method) => method === 'POST').length <= taken
          ? [409, { message: 'Conflict. The container name is already in use' }]
          : [201, { Id: madeId }];
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const docker = new Docker({ protocol: 'http', host: '127.0.0.1', port });
  return { docker, calls, [Symbol.dispose]: () => void server.close() };
}

const madeId = 'a'.repeat(64);

test('a name that an engine gives up late is asked for again', async () => {
  using engine = await engineWith(2);
  const made = await createAlone(engine.docker, 'carrier', {}, AbortSignal.timeout(5000));
  expect(made.id).toBe(madeId);
  expect(engine.calls.join(' ')).toBe('POST DELETE POST DELETE POST');
});

test('one that it never gives up makes the replica unreachable, and nothing internal', async () => {
  using engine = await engineWith(100);
  const call = createAlone(engine.docker, 'carrier', {}, AbortSignal.timeout(5000));
  await expect(call).rejects.toMatchObject({ code: 'workspace-unreachable', name: 'ReplicaUnreachable' });
});

test('nothing is made or removed any more for a caller that went', async () => {
  using engine = await engineWith(100);
  const call = createAlone(engine.docker, 'carrier', {}, AbortSignal.abort(new Error('went')));
  await expect(call).rejects.toThrow('went');
  expect(engine.calls.join(' ')).toBe('POST');
});
