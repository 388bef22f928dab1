import { cp, mkdir, readFile, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AgentStatus, WardenServiceService } from '../../src/gen/clawrden/v1/warden.ts';
import { seeded } from '../scenarios/seeded.ts';
import { newMirrored, play } from './mirrored.ts';
import { type RealGateway, startRealGateway } from './real-gateway.ts';

const seed = Number(process.env['CLAWRDEN_SEED'] ?? Date.now() % 1_000_000);
const cuts = process.env['CLAWRDEN_LONG'] === '1' ? 15 : 1;
const databaseFiles = ['clawrden.db', 'clawrden.db-wal', 'clawrden.db-shm'];

let gateway: RealGateway;

beforeAll(async () => {
  gateway = await startRealGateway();
  await lockdown(true);
  await gateway.end('SIGKILL');
  await save('older');
  await gateway.start();
  const relay = await gateway.relay();
  await lockdown(false);
  for (let i = 0; i < 2; i += 1) await run(relay);
  const admin = await gateway.admin();
  await admin.call(WardenServiceService.setAgentState, stop('coder', AgentStatus.PAUSED));
  await admin.call(WardenServiceService.setAgentState, stop('other', AgentStatus.KILLED));
  await admin.call(WardenServiceService.revokeRelay, { relay: 'host-1', reason: 'stolen' });
  for (const client of [admin, relay]) client.close();
  await gateway.end('SIGKILL');
  await save('newest');
});
afterAll(() => gateway?.[Symbol.asyncDispose]());

const stop = (agent: string, status: AgentStatus) => ({ agent, status, reason: 'x' });

async function lockdown(on: boolean): Promise<void> {
  const admin = await gateway.admin();
  await admin.call(WardenServiceService.setLockdown, { on, reason: 'x' });
  admin.close();
}

const folderOf = (name: string) => join(gateway.state, '..', name);

async function save(name: string): Promise<void> {
  await mkdir(folderOf(name));
  await putFiles(gateway.state, folderOf(name), [...databaseFiles, 'audit.jsonl']);
}

async function putFiles(from: string, to: string, files: readonly string[]): Promise<void> {
  for (const file of files) {
    await rm(join(to, file), { force: true });
    await cp(join(from, file), join(to, file)).catch(() => {});
  }
}

/** As the killed gateway left everything. */
async function putBack(): Promise<void> {
  await putFiles(folderOf('newest'), gateway.state, [...databaseFiles, 'audit.jsonl']);
  await rm(join(gateway.state, 'audit-faults.txt'), { force: true });
}

async function run(relay: Awaited<ReturnType<RealGateway['relay']>>): Promise<number | undefined> {
  const command = newMirrored();
  await play(relay, command, { tool: 'run' }, gateway.audit);
  return command.outcome?.code;
}

async function told() {
  const audit = await readFile(gateway.audit, 'utf8');
  const admin = await gateway.admin();
  const { warnings, lockdown: locked } = await admin.call(WardenServiceService.getStatus, {});
  const { agents } = await admin.call(WardenServiceService.listAgents, { pageToken: '' });
  admin.close();
  const states = agents.map(({ name, paused, killed }) => [name, killed ? 'killed' : paused && 'paused']);
  const behind = warnings.filter((text) => text.includes('the database was behind the audit'));
  return { states, locked, behind, incidents: audit.match(/"incident":"database-behind"/g)?.length ?? 0 };
}

const inForce = {
  states: [
    ['coder', 'paused'],
    ['other', 'killed'],
  ],
  locked: false,
};

async function relayIsOut(): Promise<void> {
  const relay = await gateway.relay();
  expect(await run(relay)).toBeUndefined();
  relay.close();
}

/** A cut in the middle of a migration. */
function refused(error: Error): number {
  expect(error.message).toMatch(/the database \S+ cannot be used: [^\n]+; put a backup in its place/);
  return 0;
}

/** Over several starts what is told is told once. Returns how many incidents there are. */
async function expectInForce(isBehind: boolean | undefined, starts = 2): Promise<number> {
  let count = 0;
  for (let round = 1; round <= starts; round += 1) {
    await gateway.start();
    const { behind, incidents, ...states } = await told();
    expect([round, states]).toEqual([round, inForce]);
    if (round === 1) await relayIsOut();
    expect(incidents).toBe(behind.length);
    if (isBehind !== undefined) expect(behind).toHaveLength(isBehind ? 1 : 0);
    count = incidents;
    await gateway.end('SIGKILL');
  }
  return count;
}

test('P6 P19: nothing is told of a database that was not touched since a kill', async () => {
  await putBack();
  await expectInForce(false);
});

test('P6 P19 P25: after an older copy of the database is restored, the audit says what is paused and revoked', async () => {
  await putBack();
  await putFiles(folderOf('older'), gateway.state, databaseFiles);
  await expectInForce(true);
});

test(`P6 P19 P25: with a cut WAL the audit says what is paused and revoked, or the start is refused (seed ${seed})`, async () => {
  const dice = seeded(seed);
  const shares = [0, ...Array.from({ length: cuts }, () => (500 + dice.below(500)) / 1000)];
  let behind = 0;
  for (const share of shares) {
    await putBack();
    const wal = join(gateway.state, 'clawrden.db-wal');
    if (share === 0) await rm(wal);
    else await truncate(wal, Math.floor((await readFile(wal)).length * share));
    behind += await expectInForce(share === 0 ? true : undefined, 1).catch(refused);
  }
  expect(behind).toBeGreaterThan(0);
}, 600_000);
