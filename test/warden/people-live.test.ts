import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectGateway, type GatewayClient } from '../../src/gateway-client/connect-gateway.ts';
import { enroll } from '../../src/gateway-client/enroll.ts';
import { WardenServiceService } from '../../src/gen/clawrden/v1/warden.ts';
import { type RealGateway, startRealGateway } from './real-gateway.ts';

let gateway: RealGateway;
let admin: GatewayClient;
let dir: string;
beforeAll(async () => {
  gateway = await startRealGateway();
  admin = await gateway.admin();
  dir = await mkdtemp(join(tmpdir(), 'clawrden-live-'));
});
afterAll(async () => {
  admin?.close();
  await gateway?.[Symbol.asyncDispose]();
  await rm(dir, { recursive: true, force: true });
});

const user = (name: string, more: object = {}) => ({
  ...{ name, role: 'operator', scope: [], ttl: 0n, replace: false },
  ...more,
});

async function newPerson(name: string, more: object = {}): Promise<GatewayClient> {
  const { code } = await admin.call(WardenServiceService.setUser, user(name, more));
  const identityDir = join(dir, name);
  await enroll({ address: gateway.enrollAddress, token: code, as: 'caller', identityDir });
  return await connectGateway({ address: gateway.address, identityDir });
}

/** A stream that is open, and how long it is until it ends. */
async function openStream(client: GatewayClient): Promise<{ readonly over: Promise<number> }> {
  const stream = client.watchApprovals();
  const over = Promise.withResolvers<number>();
  const first = Promise.withResolvers<void>();
  let began = performance.now();
  stream.on('data', () => {
    began = performance.now();
    first.resolve();
  });
  stream.on('error', () => over.resolve(performance.now() - began));
  await first.promise;
  return { over: over.promise };
}

const ends: Readonly<Record<string, (name: string) => Promise<unknown>>> = {
  removed: (name) => admin.call(WardenServiceService.removeUser, { name, reason: '' }),
  revoked: (name) => admin.call(WardenServiceService.revoke, { principal: `person:${name}`, reason: '' }),
  'given another role': (name) =>
    admin.call(WardenServiceService.setUser, user(name, { role: 'viewer', replace: true })),
  'given a scope': (name) =>
    admin.call(
      WardenServiceService.setUser,
      user(name, { scope: [{ key: 'team', value: 'web' }], replace: true }),
    ),
};

test.each(Object.entries(ends))(
  "P6: a person's live stream ends within 5 s if the person is %s, and another's goes on",
  async (what, end) => {
    const name = what.replaceAll(' ', '-');
    const [client, other] = [await newPerson(name), await newPerson(`not-${name}`)];
    const [mine, others] = [await openStream(client), await openStream(other)];
    await end(name);
    expect(await mine.over).toBeLessThan(5_000);
    expect(await Promise.race([others.over, Promise.resolve('open')])).toBe('open');
    for (const each of [client, other]) each.close();
  },
);

test("P6: a person's live stream ends with the time for which the person is known", async () => {
  const client = await newPerson('guest', { ttl: 4n });
  const { over } = await openStream(client);
  expect(await over).toBeLessThan(4_000 + 5_000);
  await expect(client.call(WardenServiceService.listAgents, { pageToken: '' })).rejects.toThrow(
    /UNAUTHENTICATED|UNAVAILABLE/,
  );
  client.close();
});

async function newProgram(name: string, ttl = 0n): Promise<GatewayClient> {
  const token = { name, role: 'viewer', scope: [], agent: '', ttl };
  await admin.call(WardenServiceService.createApiToken, token);
  const { code } = await admin.call(WardenServiceService.createProgramCode, { name });
  const identityDir = join(dir, `program-${name}`);
  await enroll({ address: gateway.enrollAddress, token: code, as: 'caller', identityDir });
  return await connectGateway({ address: gateway.address, identityDir });
}

test("P6: a program's live stream ends within 5 s once its API token is removed, revoked or over; rotation and another's end leave it", async () => {
  const names = ['kept', 'removed', 'revoked'];
  const clients = await Promise.all([...names.map((name) => newProgram(name)), newProgram('short', 6n)]);
  const [kept, ...others] = await Promise.all(clients.map(openStream));
  await admin.call(WardenServiceService.rotateApiToken, { name: 'kept', overlap: 0 });
  await admin.call(WardenServiceService.removeApiToken, { name: 'removed', reason: '' });
  await admin.call(WardenServiceService.revoke, { principal: 'program:revoked', reason: '' });
  const [removed, revoked, short] = await Promise.all(others.map(({ over }) => over));
  expect(removed).toBeLessThan(5_000);
  expect(revoked).toBeLessThan(5_000);
  expect(short).toBeLessThan(6_000 + 5_000);
  expect(await Promise.race([kept?.over, Promise.resolve('open')])).toBe('open');
  const { tokens } = await admin.call(WardenServiceService.listApiTokens, { pageToken: '' });
  expect(tokens.find(({ name }) => name === 'kept')).toMatchObject({ usedFrom: 'certificate' });
  for (const client of clients) client.close();
});

test.each([
  ['a name that objects have', [{ key: '__proto__', value: 'web' }]],
  [
    'the same key twice',
    [
      { key: 'team', value: 'web' },
      { key: 'team', value: 'db' },
    ],
  ],
  ['an empty key', [{ key: '', value: 'web' }]],
  ['an empty value', [{ key: 'team', value: '' }]],
])('P17: a scope with %s is refused, and does not become all agents', async (what, scope) => {
  const name = `scoped-by-${what.replaceAll(' ', '-')}`;
  await expect(admin.call(WardenServiceService.setUser, user(name, { scope }))).rejects.toThrow(/scope/);
  const token = { name, role: 'viewer', scope, agent: '', ttl: 0n };
  await expect(admin.call(WardenServiceService.createApiToken, token)).rejects.toThrow(/scope/);
  const { users } = await admin.call(WardenServiceService.listUsers, { pageToken: '' });
  expect(users.map((each) => each.name)).not.toContain(name);
});
