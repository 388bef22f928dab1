import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Docker from 'dockerode';
import { expect, test } from 'vitest';
import { inspectImage } from './image-facts.ts';

const Id = `sha256:${'a'.repeat(64)}`;
const reference = 'node:24';

/** What comes of an engine's answer, and how many lines. */
async function factsOf(answer: unknown) {
  const server = createServer((_request, response) => response.end(JSON.stringify(answer)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  let lines = 0;
  const log = { warn: () => void (lines += 1) };
  const docker = new Docker({ protocol: 'http', host: '127.0.0.1', port });
  const facts = await inspectImage({ docker, host: 'a', log }, reference);
  server.closeAllConnections();
  server.close();
  return { facts, lines };
}

test('an image is what its engine says', async () => {
  const said = { Id, Config: { Env: ['PATH=/bin'], Volumes: { '/data': {} } } };
  const { facts } = await factsOf(said);
  expect(facts).toMatchObject({ id: Id, env: ['PATH=/bin'], volumes: ['/data'] });
  expect((await factsOf({ Id, Config: null })).facts).toMatchObject({ id: Id, env: [], volumes: [] });
  const other = await factsOf({ Id, Config: { Env: ['PATH=/bin', 'BASH_ENV=/app/x'] } });
  expect(other.facts?.envHash).not.toBe(facts?.envHash);
  expect((await factsOf({ ...said, More: 1 })).facts?.envHash).toBe(facts?.envHash);
});

const long = 'x'.repeat(1000);

test.each([
  ['a tag as its id', { Id: 'other:tag' }],
  ['a registry as its id', { Id: `evil.example/x@${Id}` }],
  ['no id', {}],
  ['nothing', null],
  ['a number of variables', { Id, Config: { Env: Array.from({ length: 1001 }, (_, at) => `A${at}=`) } }],
  ['much environment', { Id, Config: { Env: Array.from({ length: 100 }, (_, at) => `A${at}=${long}`) } }],
  ['variables without a name', { Id, Config: { Env: [{}] } }],
  ['a text as its environment', { Id, Config: { Env: 'A=1' } }],
  [
    'many volumes',
    { Id, Config: { Volumes: Object.fromEntries(Array.from({ length: 1001 }, (_, at) => [`/${at}`, {}])) } },
  ],
])(
  'A-370 P20: an engine that says %s of an image counts as without it, with a line',
  async (_what, answer) => {
    expect(await factsOf(answer)).toEqual({ facts: undefined, lines: 1 });
  },
);
