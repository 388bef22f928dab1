import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clawrden } from '../cli/clawrden.ts';
import { type RealGateway, startRealGateway } from './real-gateway.ts';

let gateway: RealGateway;
let dir: string;

beforeAll(async () => {
  gateway = await startRealGateway();
  dir = await mkdtemp(join(tmpdir(), 'clawrden-users-'));
});
afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]();
  await rm(dir, { recursive: true, force: true });
});

const invite = async (...args: string[]) =>
  (await gateway.cli('users', 'add', 'alice', ...args)).stdout.trim();
const alice = (...args: string[]) => clawrden(['--context', join(dir, 'alice.yaml'), ...args]);
const login = (code: string) => alice('login', '--gateway', gateway.enrollAddress, '--code', code);
const refused = (text: RegExp) => ({ code: 1, stderr: expect.stringMatching(text) });

test('P6 P17: a person comes in by a code, once; is let out and in again; and removed for good', async () => {
  const code = await invite('--role', 'approver', '--ttl', '30d');
  expect(await login(code)).toMatchObject({ code: 0, stdout: expect.stringContaining('alice') });
  const [mine, foreign] = await Promise.all([alice('pending'), alice('users', 'list')]);
  expect(mine).toMatchObject({ code: 0 });
  expect(foreign).toMatchObject(refused(/this needs the role admin/));
  // A token keeps the listener of enrolments open, so that the code itself is refused.
  await gateway.newToken();
  expect(await login(code)).toMatchObject(refused(/used before/));
  expect(
    await gateway.cli('relay', 'enroll', '--dir', dir, '--gateway', gateway.enrollAddress, '--token', code),
  ).toMatchObject(refused(/not one that enrols a relay/));

  expect(await gateway.cli('revoke', 'person:alice')).toMatchObject({ code: 0 });
  expect(await alice('pending')).toMatchObject({ code: 1 });
  expect(await gateway.cli('users', 'add', 'alice', '--role', 'admin')).toMatchObject(refused(/already/));
  expect(await login(await invite('--role', 'viewer', '--replace'))).toMatchObject({ code: 0 });
  expect(await alice('hosts')).toMatchObject({ code: 0 });

  const removed = await Promise.all(['alice', 'admin'].map((name) => gateway.cli('users', 'remove', name)));
  expect(removed).toMatchObject([{ code: 0 }, refused(/last admin/)]);
  expect(await alice('hosts')).toMatchObject({ code: 1 });
  expect(await gateway.cli('users', 'add', 'alice', '--role', 'viewer')).toMatchObject(
    refused(/not used again/),
  );
  const list = await gateway.cli('users', 'list', '--json');
  expect(JSON.parse(list.stdout)).toMatchObject([
    { name: 'admin', role: 'admin', setBy: 'gateway' },
    { name: 'bob', role: 'approver' },
  ]);
});

test('P17 P25: API tokens are told once, listed without what they say, and in the audit', async () => {
  const made = await gateway.cli('tokens', 'create', 'ci', '--role', 'orchestrator', '--agents', 'team=web');
  const [own, wrong] = await Promise.all([
    gateway.cli('tokens', 'create', 'own', '--role', 'agent', '--agent', 'coder', '--ttl', '1h', '--json'),
    gateway.cli('tokens', 'create', 'x', '--role', 'agent', '--agent', 'nobody'),
  ]);
  const rotated = await gateway.cli('tokens', 'rotate', 'ci', '--overlap', '1h');
  expect([made, rotated].map(({ stdout }) => /^clw_[\w-]{43}\n$/.test(stdout))).toEqual([true, true]);
  expect(JSON.parse(own.stdout)).toMatchObject({ token: { principal: 'agent:coder', role: 'agent' } });
  expect(wrong).toMatchObject(refused(/gateway.yaml has no agent nobody/));
  const list = await gateway.cli('tokens', 'list', '--json');
  expect(JSON.parse(list.stdout)).toMatchObject([
    { name: 'ci', principal: 'program:ci', scope: { team: 'web' }, expiresAt: '', usedAt: '' },
    { name: 'own', principal: 'agent:coder', expiresAt: expect.stringMatching(/^20/) },
  ]);
  const gone = await Promise.all([
    gateway.cli('tokens', 'remove', 'ci', '--reason', 'done'),
    gateway.cli('revoke', 'agent:coder'),
  ]);
  expect(gone).toMatchObject([{ code: 0 }, { code: 0 }]);
  expect(JSON.parse((await gateway.cli('tokens', 'list', '--json')).stdout)).toEqual([]);
  const audit = await readFile(gateway.audit, 'utf8');
  const told = [...audit.matchAll(/"type":"token","event":"(\w+)","token":"(\w+)"/g)];
  expect(told.map(([, event, name]) => `${event} ${name}`).toSorted()).toEqual([
    'removed ci',
    'removed own',
    'set ci',
    'set ci',
    'set own',
  ]);
  for (const { stdout } of [made, rotated]) expect(audit).not.toContain(stdout.trim());
});

test('P6 P17: a program comes in over gRPC by a code, as what its API token says, and is out with it', async () => {
  await gateway.cli('tokens', 'create', 'builder', '--role', 'orchestrator');
  const builder = (...args: string[]) => clawrden(['--context', join(dir, 'builder.yaml'), ...args]);
  const code = (await gateway.cli('tokens', 'certificate', 'builder')).stdout.trim();
  expect(await builder('login', '--gateway', gateway.enrollAddress, '--code', code)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('this program is builder'),
  });
  const [agents, foreign, list] = await Promise.all([
    builder('agents'),
    builder('pending'),
    gateway.cli('tokens', 'list', '--json'),
  ]);
  expect([agents, foreign]).toMatchObject([{ code: 0 }, refused(/this needs the role viewer/)]);
  expect(JSON.parse(list.stdout)).toContainEqual(expect.objectContaining({ name: 'builder' }));
  await gateway.cli('tokens', 'create', 'of-coder', '--role', 'agent', '--agent', 'coder');
  const [unknown, ofAgent] = await Promise.all(
    ['nobody', 'of-coder'].map((name) => gateway.cli('tokens', 'certificate', name)),
  );
  expect([unknown, ofAgent]).toMatchObject([refused(/no program nobody/), refused(/no program of-coder/)]);
  expect(await gateway.cli('tokens', 'remove', 'builder')).toMatchObject({ code: 0 });
  expect(await builder('agents')).toMatchObject({ code: 1 });
});
