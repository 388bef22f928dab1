import { appendFile, rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RelayView } from '../../gateway/ports/warden-api.ts';
import type { GatewayClient } from '../../src/gateway-client/connect-gateway.ts';
import { WardenServiceService as service } from '../../src/gen/clawrden/v1/warden.ts';
import { type LongAudit, writeLongAudit } from '../fixtures/long-audit.ts';
import { teamTools } from '../fixtures/team-tools.ts';
import { startTestGateway, type TestGateway } from './gateway.ts';

const off = { connected: false, peer: '', fingerprint: '', version: '', since: undefined };
const on = { connected: true, peer: '10.0.0.7:4000', fingerprint: 'f', version: '1.2.3', since: 1000 };
const relays: RelayView[] = [
  { name: 'b', agents: 0, ...on, version: 'v'.repeat(5000) },
  { name: 'a', agents: 2, ...off },
];

let log: LongAudit;
let gateway: TestGateway;
let [vera, otto]: GatewayClient[] = [];
const one = (client: GatewayClient | undefined) => client!;
beforeAll(async () => {
  log = await writeLongAudit();
  gateway = await startTestGateway({
    people: { vera: 'viewer', otto: 'admin' },
    scopes: { otto: { team: 'web' } },
    warden: { ...teamTools(), ...log.warden, relays: () => relays },
  });
  [vera, otto] = [
    await gateway.connect({ kind: 'person', name: 'vera' }),
    await gateway.connect({ kind: 'person', name: 'otto' }),
  ];
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await log[Symbol.asyncDispose]();
});

const none = { pageToken: '' };
const upTo = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at);

test('relays come by name, connected or not, and what they say of themselves is bounded', async () => {
  const { relays: rows, nextPageToken } = await one(vera).call(service.listRelays, none);
  expect(nextPageToken).toBe('');
  const { since: _since, ...empty } = off;
  expect(rows[0]).toEqual({ name: 'a', agents: 2, ...empty, connectedAt: '' });
  expect(rows[1]).toMatchObject({ name: 'b', connected: true, peer: '10.0.0.7:4000', fingerprint: 'f' });
  expect(rows[1]?.connectedAt).toBe(new Date(1000).toISOString());
  expect(rows[1]?.version).toMatch(/^v{1024} \.\.\. \(5000 bytes\)$/);
});

test('tools come with what the policy says of them, and one of them with its rules', async () => {
  const { tools } = await one(vera).call(service.listTools, none);
  expect(tools.map(({ name, best }) => `${name} ${best}`)).toEqual([
    ...['g++ allow', 'ls allow', 'npm allow', 'psql ask', 'rm deny'],
  ]);
  const psql = await one(vera).call(service.getTool, { name: 'psql' });
  expect(psql.tool?.description).toBe("asks the team's database");
  expect(psql.documentation).toBe("# psql\n\nReads only: `psql -c 'select 1'`.");
  const { tool, rules, documentation } = await one(vera).call(service.getTool, { name: 'npm' });
  expect([tool?.description, documentation]).toEqual(['', '']);
  expect(tool).toEqual(tools[2]);
  expect(tool).toMatchObject({ strategy: 'ghost', image: 'node:24', timeoutSeconds: 90, otherwise: 'deny' });
  expect(rules.map(({ name, action, instead }) => [name, action, instead])).toEqual([
    ['look', 'allow', ''],
    ['no-push', 'deny', 'say so'],
    ['db-npm', 'ask', ''],
  ]);
});

test('A-68 P18: a scope hears of what its agents may use, and of no rule about others', async () => {
  const { tools } = await one(otto).call(service.listTools, none);
  expect(tools.map(({ name }) => name)).toEqual(['g++', 'ls', 'npm']);
  const { rules } = await one(otto).call(service.getTool, { name: 'npm' });
  expect(rules.map(({ name }) => name)).toEqual(['look', 'no-push']);
  for (const name of ['psql', 'rm', 'nothing'])
    await expect(one(otto).call(service.getTool, { name })).rejects.toMatchObject({
      ...{ code: 5, details: `no tool ${name}` },
    });
  const refused = { code: 7, details: 'this is about more than the agents of your scope' };
  await expect(one(otto).call(service.listRelays, none)).rejects.toMatchObject(refused);
  const audit = { from: 0n, limit: 0, pageToken: '' };
  await expect(one(otto).call(service.listAudit, audit)).rejects.toMatchObject(refused);
});

async function readAudit(from: number, limit: number): Promise<number[][]> {
  const pages: number[][] = [];
  let pageToken = '';
  do {
    const page = await one(vera).call(service.listAudit, { from: BigInt(from), limit, pageToken });
    pages.push(page.lines.map(({ seq }) => Number(seq)));
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  return pages;
}

test('A-116 P20: the audit is read from any record on, in pages of 512 KiB at most', async () => {
  expect((await readAudit(3, 10)).flat()).toEqual(upTo(3, 63));
  expect(await readAudit(60, 1000)).toEqual([
    [60, 61],
    [62, 63],
  ]);
  expect(await readAudit(0, 1)).toEqual([[63]]);
  expect(await readAudit(64, 10)).toEqual([[]]);
  const { lines } = await one(vera).call(service.listAudit, { from: 3n, limit: 1, pageToken: '' });
  expect(JSON.parse(lines[0]?.record ?? '')).toMatchObject({ seq: 3, type: 'lifecycle', text: '3' });
});

test('only numbers of records are taken, and only tokens of this list', async () => {
  const { nextPageToken } = await one(vera).call(service.listAudit, { from: 1n, limit: 1, pageToken: '' });
  for (const wrong of [
    { from: 2n ** 64n - 1n, limit: 0, pageToken: '' },
    { from: 1n, limit: 1001, pageToken: '' },
    { from: 1n, limit: 0, pageToken: 'x' },
  ])
    await expect(one(vera).call(service.listAudit, wrong)).rejects.toMatchObject({ code: 3 });
  for (const method of [service.listRelays, service.listTools])
    await expect(
      one(vera).call(method as typeof service.listRelays, { pageToken: nextPageToken }),
    ).rejects.toMatchObject({ code: 3, details: expect.stringContaining('page_token') });
});

test('A-109: a line that is no record is told as such; a log that cannot be read is told', async () => {
  await appendFile(log.file, '{"seq":64,"changed":true}\nnonsense\u009b\n');
  const all = { from: 63n, limit: 0, pageToken: '' };
  const { lines } = await one(vera).call(service.listAudit, all);
  expect(lines.map(({ record, damaged }) => [record !== '', damaged])).toEqual([
    [true, ''],
    [false, '{"seq":64,"changed":true}'],
    [false, 'nonsense\u009b'],
  ]);
  await rm(log.file);
  await expect(one(vera).call(service.listAudit, { ...all, from: 1n })).rejects.toMatchObject({
    ...{ code: 14, details: expect.stringContaining('the audit cannot be read') },
  });
});
