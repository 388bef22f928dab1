import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEnrolment } from '../../gateway/auth/create-enrolment.ts';
import { createAuthorities } from '../../gateway/keys/authorities.ts';
import { openPrincipals, type Principals } from '../../gateway/principals/open-principals.ts';
import { createPrincipalOperations } from '../../gateway/principals/principal-operations.ts';
import { openRecords, type Records } from '../../gateway/start/open-records.ts';
import type { AgentConfig, GatewayConfig } from '../../src/config/gateway-config.ts';
import { connect } from '../../src/http-api/client.ts';
import { makeAuthority } from '../../src/pki/authority.ts';
import { issueServerCertificate } from '../../src/pki/issue-certificate.ts';
import { answerOf, ask } from './ask.ts';
import { type HttpGateway, startHttpGateway } from './http-gateway.ts';

const coder: AgentConfig = {
  ...{ name: 'coder', relay: 'host-7', labels: { team: 'web' }, cwd: '/app', hosts: {} },
  users: [{ uid: 1000, gid: 1000 }],
};
const agents = () => new Map([['coder', coder]]);

let dir: string;
let records: Records;
let principals: Principals;
let door: HttpGateway;
let token: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'clawrden-users-http-'));
  const { privateKey } = generateKeyPairSync('ed25519');
  const config = { state: dir, audit: join(dir, 'audit.jsonl'), limits: {} } as unknown as GatewayConfig;
  records = await openRecords(config, privateKey, 'test');
  principals = await openPrincipals({
    ...records,
    first: new Map([['admin', { role: 'admin' as const, scope: {} }]]),
    agents,
  });
  const authority = await makeAuthority('Test CA');
  const server = await issueServerCertificate(authority, ['localhost']);
  const authorities = createAuthorities({ authority, server });
  const { keys, tokens, audit } = records;
  const enrolment = createEnrolment({
    identity: { gatewayId: 'gw-1', keys, authorities },
    agentsOf: () => [],
    ...{ ...principals, tokens, audit },
  });
  const operations = createPrincipalOperations({ ...principals, agents });
  door = await startHttpGateway({ enrolment, warden: { principals: operations } });
  token = door.token('admin');
});
afterAll(async () => {
  await door[Symbol.asyncDispose]();
  await principals.apiTokens.close();
  await records.close();
  await rm(dir, { recursive: true, force: true });
});

const refused = (status: number, words: RegExp) => ({
  problem: { status, detail: expect.stringMatching(words) },
});

test('people are added, changed, linked, listed and removed', async () => {
  const body = { name: 'ann', role: 'approver', scope: { team: 'web' }, ttlSeconds: 86_400 } as const;
  const { user, code, codeExpiresAt } = await answerOf(door, 'setUser', { token, body });
  expect(user).toMatchObject({
    name: 'ann',
    role: 'approver',
    scope: { team: 'web' },
    setBy: 'person:admin',
    links: [],
  });
  expect(Date.parse(user.expiresAt ?? '') - Date.now()).toBeGreaterThan(86_000_000);
  expect([code.length > 40, Date.parse(codeExpiresAt) > Date.now()]).toEqual([true, true]);
  expect(await ask(door, 'setUser', { token, body })).toMatchObject(refused(409, /already/));
  const changed = await answerOf(door, 'setUser', {
    token,
    body: { name: 'ann', role: 'operator', replace: true },
  });
  expect(changed.user).toMatchObject({ role: 'operator', scope: {} });
  expect(changed.user).not.toHaveProperty('expiresAt');
  expect(await ask(door, 'setUser', { token, body: { ...body, name: 'bob', replace: true } })).toMatchObject(
    refused(409, /no person bob/),
  );

  const link = (principal: string, name = 'ann') =>
    ask(door, 'linkUser', { token, params: { name }, body: { principal, reason: 'same' } });
  const odd = 'oidc:auth0|a/b?c#d%2f';
  expect(await link(odd)).toMatchObject({ answer: { links: [{ principal: odd }] } });
  expect(await link('nonsense')).toMatchObject({ problem: { status: 409 } });
  expect(await link('slack:T/U', 'nobody')).toMatchObject(refused(404, /no user nobody/));
  const { users } = await answerOf(door, 'users', { token });
  expect(users.map(({ name, links }) => [name, links.map(({ principal }) => principal)])).toEqual([
    ['admin', []],
    ['ann', [odd]],
  ]);
  const id = users[1]?.links[0]?.id ?? '';
  const unlink = (name: string) => ask(door, 'unlinkUser', { token, params: { name, id } });
  expect(await unlink('admin')).toMatchObject({ problem: { status: 404 } });
  expect(await unlink('ann')).toMatchObject({ answer: { links: [] } });
  expect(await unlink('ann')).toMatchObject({ problem: { status: 404 } });

  const remove = (name: string) =>
    ask(door, 'removeUser', { token, params: { name }, query: { reason: 'left' } });
  expect(await remove('admin')).toMatchObject(refused(409, /last admin/));
  expect(await remove('ann')).toMatchObject({ answer: { name: 'ann', role: 'operator' } });
  expect(await remove('ann')).toMatchObject({ problem: { status: 404 } });
  expect(await ask(door, 'setUser', { token, body })).toMatchObject(refused(409, /not used again/));
});

test('a program of an API token gets a code for a certificate; an agent and an unknown name get none', async () => {
  await answerOf(door, 'createToken', { token, body: { name: 'builder', role: 'orchestrator' } });
  await answerOf(door, 'createToken', { token, body: { name: 'of-coder', role: 'agent', agent: 'coder' } });
  const code = (name: string) => ask(door, 'programCode', { token, params: { name }, body: {} });
  expect(await code('builder')).toEqual({
    answer: { code: expect.stringMatching(/^ey/), codeExpiresAt: expect.stringMatching(/^20/) },
  });
  expect(await code('of-coder')).toMatchObject(refused(409, /no program of-coder/));
  expect(await code('nobody')).toMatchObject(refused(404, /no API token nobody/));
  for (const name of ['builder', 'of-coder'])
    await answerOf(door, 'removeToken', { token, params: { name }, query: {} });
});

test('tokens are made, rotated, listed and removed; a principal is revoked', async () => {
  const made = await answerOf(door, 'createToken', { token, body: { name: 'ci', role: 'orchestrator' } });
  expect(made).toMatchObject({
    token: { name: 'ci', principal: 'program:ci', setBy: 'person:admin', usedFrom: '' },
  });
  const lets = (text: string) => 'value' in principals.apiTokens.authenticateToken(text, '127.0.0.1');
  expect(lets(made.text)).toBe(true);
  const rotate = (overlapSeconds?: number) =>
    answerOf(door, 'rotateToken', {
      token,
      params: { name: 'ci' },
      body: overlapSeconds === undefined ? {} : { overlapSeconds },
    });
  const second = await rotate(3600);
  expect([lets(made.text), lets(second.text)]).toEqual([true, true]);
  const third = await rotate();
  expect([made, second, third].map(({ text }) => lets(text))).toEqual([false, false, true]);
  const { tokens } = await answerOf(door, 'tokens', { token });
  expect(tokens).toMatchObject([{ name: 'ci', usedFrom: '127.0.0.1', usedAt: expect.any(String) }]);
  const create = (body: object) => ask(door, 'createToken', { token, body });
  expect(await create({ name: 'ci', role: 'viewer' })).toMatchObject(refused(409, /already/));
  expect(await create({ name: 'a', role: 'agent', agent: 'nobody' })).toMatchObject(refused(409, /no agent/));
  for (const body of [
    { name: 'x', role: 'admin' },
    { name: 'x', role: 'viewer', ttlSeconds: 0 },
    { name: 'x/y', role: 'viewer' },
    {
      name: 'x',
      role: 'viewer',
      scope: Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`k${at}`, 'v'])),
    },
    { name: 'x', role: 'viewer', scope: { 'a b': 'c' } },
  ])
    expect([body, await create(body)]).toMatchObject([body, { problem: { status: 400 } }]);
  const removed = await answerOf(door, 'removeToken', { token, params: { name: 'ci' } });
  expect([removed.name, lets(third.text)]).toEqual(['ci', false]);
  expect(await ask(door, 'rotateToken', { token, params: { name: 'ci' }, body: {} })).toMatchObject({
    problem: { status: 404 },
  });

  const own = await answerOf(door, 'createToken', {
    token,
    body: { name: 'c', role: 'agent', agent: 'coder' },
  });
  const revoke = (kind: string, name: string) =>
    ask(door, 'revokePrincipal', { token, params: { kind, name } });
  expect(await revoke('agent', 'coder')).toEqual({ answer: { revoked: 'agent:coder' } });
  expect(lets(own.text)).toBe(false);
  expect(await revoke('agent', 'coder')).toMatchObject({ problem: { status: 409 } });
  expect(await revoke('relay', 'host-7')).toMatchObject({ answer: { revoked: 'relay:host-7' } });
  expect(await revoke('person', 'admin')).toMatchObject(refused(409, /last admin/));
  expect(await revoke('host', 'x')).toMatchObject({ problem: { status: 400 } });
});

test('A-117 P17: what a code and a token say is in one answer, which nobody may keep, and nowhere else', async () => {
  const client = connect({ url: door.url, token });
  const post = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await door.fetch(path, { method: 'POST', token, headers, body: JSON.stringify(body) });
    expect([path, answer.status, answer.headers.get('cache-control')]).toEqual([path, 200, 'no-store']);
    return (await answer.json()) as { code?: string; text?: string };
  };
  const { code = '' } = await post('/api/v1/users', { name: 'eve', role: 'viewer' });
  const { text: first = '' } = await post('/api/v1/tokens', { name: 'told', role: 'viewer' });
  const { text: second = '' } = await post('/api/v1/tokens/told/rotate', { overlapSeconds: 60 });
  const secrets = [code, first, second];
  expect(secrets.every((secret) => secret.length > 40)).toBe(true);
  const later: unknown[] = [];
  for await (const user of client.list('users')) later.push(user);
  for await (const each of client.list('tokens')) later.push(each);
  later.push(await ask(door, 'createToken', { token, body: { name: 'told', role: 'viewer' } }));
  later.push(await ask(door, 'setUser', { token, body: { name: 'eve', role: 'viewer' } }));
  const kept = [JSON.stringify(later), door.log.join('\n'), await readFile(join(dir, 'audit.jsonl'), 'utf8')];
  for (const name of ['clawrden.db', 'clawrden.db-wal']) kept.push(await readFile(join(dir, name), 'latin1'));
  for (const text of kept) for (const secret of secrets) expect(text.includes(secret)).toBe(false);
  // It would be found: the audit names the token.
  expect(kept[2]).toContain('told');
});

test('A-117: only admins of all agents do any of it', async () => {
  for (const who of [door.token('operator'), door.token('admin', { scope: { team: 'web' } })]) {
    for (const name of ['users', 'tokens'] as const)
      expect(await ask(door, name, { token: who })).toMatchObject({ problem: { status: 403 } });
    expect(
      await ask(door, 'createToken', { token: who, body: { name: 'mine', role: 'viewer' } }),
    ).toMatchObject({ problem: { status: 403 } });
  }
});
