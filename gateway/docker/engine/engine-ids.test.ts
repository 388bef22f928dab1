import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Docker from 'dockerode';
import { expect, test } from 'vitest';
import { createContainer } from '../container/create-container.ts';
import { execInit } from '../ghost/exec-init.ts';
import { toEngineError } from './engine-errors.ts';

const form = '0123456789abcdef';
const never = new AbortController().signal;

/** An engine that gives this id to all it makes; what it is asked for. */
async function engineNaming(Id: unknown) {
  const asked: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    asked.push(url.split('?')[0] ?? '');
    response.writeHead(201).end(JSON.stringify({ Id }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  const docker = new Docker({ protocol: 'http', host: '127.0.0.1', port });
  return { docker, asked, [Symbol.dispose]: close };
}

test('the id of what an engine made is taken', async () => {
  using engine = await engineNaming(form.repeat(4));
  expect((await createContainer(engine.docker, 'x', {})).id).toBe(form.repeat(4));
});

test.each([
  ['long', 'a'.repeat(1_000_000)],
  ['a path', '../images/x'],
  ['capitals', form.toUpperCase()],
  ['short', 'abc'],
  ['empty', ''],
  ['a list', [form]],
  ['absent', undefined],
])('A-373 P20: an id that is %s is the fault of its host', async (_what, id) => {
  using engine = await engineNaming(id);
  const created = () => createContainer(engine.docker, 'x', {});
  const executed = () => execInit(engine.docker.getContainer('x'), '1:1', never);
  for (const make of [created, executed]) {
    const failure: unknown = await make().catch((error: unknown) => error);
    expect(toEngineError(failure, 'h')).toMatchObject({
      ...{ code: 'host-lost', message: 'host h: its engine names what it made by no id' },
    });
  }
  expect(engine.asked).toEqual(['/containers/create', '/containers/x/exec']);
});
