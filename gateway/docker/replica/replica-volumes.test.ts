import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Docker from 'dockerode';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { replicaName } from './carrier-body.ts';
import { replicaAgents } from './replica-volumes.ts';

const gatewayId = 'g';
let server: Server;
let docker: Docker;
let volumes: unknown[] = [];

/** An engine that tells of these volumes. */
beforeEach(async () => {
  server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ Volumes: volumes, Warnings: null }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  docker = new Docker({ protocol: 'http', host: '127.0.0.1', port });
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const named = (label: unknown, name: string) => ({ Name: name, Labels: { 'clawrden.workspace': label } });
const own = (agent: string) => named(agent, replicaName(gatewayId, agent));

test('12: an agent has a replica where its volume is, once', async () => {
  volumes = [own('coder'), own('coder'), own('writer')];
  expect(await replicaAgents(docker, gatewayId)).toEqual(['coder', 'writer']);
});

test.each<[string, unknown]>([
  ['an array of names', named(['a', 'coder'], replicaName(gatewayId, 'coder'))],
  ['a number', named(7, replicaName(gatewayId, '7'))],
  ['the name of another volume', named('coder', replicaName(gatewayId, 'writer'))],
  ['the name of another gateway’s', named('coder', replicaName('other', 'coder'))],
  ['what is no name', named('a'.repeat(64), replicaName(gatewayId, 'a'.repeat(64)))],
  ['no label', { Name: replicaName(gatewayId, 'coder'), Labels: null }],
])('A-338 P20: a volume with %s is no agent’s replica', async (_what, volume) => {
  volumes = [volume];
  expect(await replicaAgents(docker, gatewayId)).toEqual([]);
});

test('A-338 P20: of the volumes that a host tells so many are looked at', async () => {
  volumes = Array.from({ length: 3000 }, (_, number) => own(`a${number}`));
  expect(await replicaAgents(docker, gatewayId)).toHaveLength(2000);
});
