import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Docker from 'dockerode';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { replicaName } from './carrier-body.ts';
import { replicasOn } from './replica-volumes.ts';

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

const home = '0123456789abcdef';
const named = (label: unknown, name: string, of: unknown = home) => ({
  Name: name,
  Labels: { 'clawrden.workspace': label, 'clawrden.workspace-home': of },
});
const nameOf = (agent: string, gateway = gatewayId) => replicaName(gateway, { agent, home });
const own = (agent: string) => named(agent, nameOf(agent));

test('12: an agent has a replica where its volume is, once', async () => {
  volumes = [own('coder'), own('coder'), own('writer')];
  expect(await replicasOn(docker, gatewayId)).toEqual([
    { agent: 'coder', home },
    { agent: 'writer', home },
  ]);
});

test('A-562: one of each home, and one that was made before homes were told apart', async () => {
  const before = { agent: 'coder', home: '' };
  const other = { agent: 'coder', home: 'fedcba9876543210' };
  const old = { Name: replicaName(gatewayId, before), Labels: { 'clawrden.workspace': 'coder' } };
  volumes = [old, own('coder'), named('coder', replicaName(gatewayId, other), other.home)];
  expect(await replicasOn(docker, gatewayId)).toEqual([before, { agent: 'coder', home }, other]);
});

test.each<[string, unknown]>([
  ['an array of names', named(['a', 'coder'], nameOf('coder'))],
  ['a number', named(7, nameOf('7'))],
  ['the name of another volume', named('coder', nameOf('writer'))],
  ['the name of another gateway’s', named('coder', nameOf('coder', 'other'))],
  ['what is no name', named('a'.repeat(64), nameOf('a'.repeat(64)))],
  ['no label', { Name: nameOf('coder'), Labels: null }],
  ['another home', named('coder', nameOf('coder'), 'fedcba9876543210')],
  ['what is no home', named('coder', replicaName(gatewayId, { agent: 'coder', home: 'h' }), 'h')],
  ['an array of homes', named('coder', nameOf('coder'), [home])],
])('A-338 P20: a volume with %s is no agent’s replica', async (_what, volume) => {
  volumes = [volume];
  expect(await replicasOn(docker, gatewayId)).toEqual([]);
});

test('A-338 P20: of the volumes that a host tells so many are looked at', async () => {
  volumes = Array.from({ length: 3000 }, (_, number) => own(`a${number}`));
  expect(await replicasOn(docker, gatewayId)).toHaveLength(2000);
});
