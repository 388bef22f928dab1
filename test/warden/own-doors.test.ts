import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectGateway } from '../../src/gateway-client/connect-gateway.ts';
import type { Credentials } from '../../src/pki/authority.ts';
import { type CompanyPki, makeCompanyPki } from '../fixtures/company-pki.ts';
import { metricLines } from '../http/metric-lines.ts';
import { freePort } from '../stack/free-port.ts';
import { type GatewaySite, makeGatewaySite } from '../stack/gateway-site.ts';
import type { Program } from '../stack/program.ts';
import { edit, print, replaceDoor, shownAt } from './door-files.ts';

let dir = '';
let site: GatewaySite;
let program: Program;
let company: CompanyPki;
let leaf: Credentials;
let monitors = '';
const at = (name: string) => join(dir, name);
const names = ['localhost', '127.0.0.1'];
const chained = (pair: Credentials) => ({
  ...pair,
  certificate: pair.certificate + company.between.certificate,
});

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'clawrden-own-doors-'));
  company = await makeCompanyPki();
  await writeFile(at('root.pem'), company.root.certificate);
  leaf = await company.server(names);
  await replaceDoor(dir, chained(leaf));
  const agents = ['coder'].map((name) => ({ name, relay: 'host-1', users: ['1000:1000'], cwd: '/app' }));
  site = await makeGatewaySite(at('state'), { keys: { agents } });
  monitors = `127.0.0.1:${await freePort()}`;
  await edit(site.config, ({ grpc, http }) => {
    Object.assign(grpc as object, { tls: { cert: at('door.pem'), key: at('door.key') } });
    Object.assign(http as object, { 'metrics-listen': monitors });
  });
  program = await site.start();
  await edit(site.context, (context) => Object.assign(context, { trust: at('root.pem') }));
});
afterAll(async () => {
  await program?.[Symbol.asyncDispose]();
  await rm(dir, { recursive: true, force: true });
});

async function canReach(trust: string): Promise<boolean> {
  const identityDir = join(site.state, 'admin');
  const client = await connectGateway({ address: site.grpcAddress, identityDir, trust });
  const ready = await client.waitForReady(3000);
  client.close();
  return ready;
}

test('A-127: a door shows its chain, so who trusts the root alone takes it, and enrols by it', async () => {
  const token = await site.newToken('host-1', ['coder']);
  const door = ['--gateway', site.enrollAddress, '--dir', at('relay'), '--trust', at('root.pem')];
  expect(await site.cli(['relay', 'enroll', '--token', token, ...door])).toMatchObject({ code: 0 });
  expect(await canReach(at('root.pem'))).toBe(true);
  await writeFile(at('other.pem'), (await makeCompanyPki()).root.certificate);
  expect(await canReach(at('other.pem'))).toBe(false);
});

test('A-127: without the authority between them clients refuse it; with another leaf of the chain they go on', async () => {
  const next = await company.server(names);
  await replaceDoor(dir, next);
  await expect.poll(() => shownAt(site.grpcAddress), { interval: 100 }).toBe(print(next));
  expect(await canReach(at('root.pem'))).toBe(false);
  await replaceDoor(dir, chained(leaf));
  await expect.poll(() => shownAt(site.grpcAddress), { interval: 100 }).toBe(print(leaf));
  expect(await canReach(at('root.pem'))).toBe(true);
  // The order is wrong: a server's own certificate comes first.
  await replaceDoor(dir, { ...next, certificate: company.between.certificate + next.certificate });
  await expect
    .poll(async () => (await site.cli(['doctor', '--config', site.config])).stdout, { interval: 500 })
    .toMatch(/certificate: grpc\.tls: .*the last good certificate is in force/);
  expect(await shownAt(site.grpcAddress)).toBe(print(leaf));
  await replaceDoor(dir, chained(leaf));
});

test('P17: the program answers monitors of its own machine without a token at `http.metrics-listen`, and nobody else', async () => {
  const text = await (await fetch(`http://${monitors}/metrics`)).text();
  expect(metricLines(text)).toContainEqual({ name: 'clawrden_ready', labels: {}, value: 1 });
  expect((await fetch(`http://${monitors}/readyz`)).status).toBe(200);
  expect((await fetch(`http://${monitors}/api/v1/agents`)).status).toBe(404);
  expect((await fetch(`${site.httpUrl}/metrics`)).status).toBe(401);
});
