import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';
import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { describe, expect, test } from 'vitest';
import { connectGateway } from '../../src/gateway-client/connect-gateway.ts';
import { unaryCall } from '../../src/gateway-client/unary-call.ts';
import { RelayServiceService } from '../../src/gen/clawrden/v1/relay.ts';
import { Verdict, WardenServiceService } from '../../src/gen/clawrden/v1/warden.ts';
import { makeAuthority } from '../../src/pki/authority.ts';
import { readIdentity } from '../../src/pki/identity-files.ts';
import { issueServerCertificate } from '../../src/pki/issue-certificate.ts';
import { admin, relay, startTestGateway, type TestGateway } from './gateway.ts';

const { listHosts } = WardenServiceService;

async function codeOf(call: Promise<unknown>): Promise<number> {
  return await call.then(
    () => status.OK,
    (error: ServiceError) => error.code,
  );
}

/** The status of a call with exactly this `authorization`, over this identity. */
async function callWith(gateway: TestGateway, identityDir: string, authorization?: string): Promise<number> {
  const { authority, certificate, key } = await readIdentity(identityDir);
  const client = new Client(gateway.address, credentials.createSsl(authority, key, certificate));
  const metadata = new Metadata();
  if (authorization !== undefined) metadata.set('authorization', authorization);
  const { path, requestSerialize, responseDeserialize } = listHosts;
  const call = new Promise((resolve, reject) => {
    client.makeUnaryRequest(
      path,
      requestSerialize,
      responseDeserialize,
      { pageToken: '' },
      metadata,
      (error, value) => (error === null ? resolve(value) : reject(error)),
    );
  });
  return await codeOf(call).finally(() => client.close());
}

async function tokenOf(gateway: TestGateway, identityDir: string): Promise<string> {
  const { authority, certificate, key } = await readIdentity(identityDir);
  const client = new Client(gateway.address, credentials.createSsl(authority, key, certificate));
  const { token } = await unaryCall(client, RelayServiceService.token, {});
  client.close();
  return token;
}

test('P4: a call needs a certificate, and a token that is bound to it', async () => {
  await using gateway = await startTestGateway();
  const identity = await gateway.identity(admin);
  const token = await tokenOf(gateway, identity);
  expect(await callWith(gateway, identity, `Bearer ${token}`)).toBe(status.OK);
  expect(await callWith(gateway, identity)).toBe(status.UNAUTHENTICATED);
  expect(await callWith(gateway, identity, token)).toBe(status.UNAUTHENTICATED);
  expect(await callWith(gateway, identity, 'Bearer x.y.z')).toBe(status.UNAUTHENTICATED);
  const other = await gateway.identity(admin);
  expect(await callWith(gateway, other, `Bearer ${token}`), 'A-53').toBe(status.UNAUTHENTICATED);
  const relayToken = await tokenOf(gateway, await gateway.identity(relay));
  expect(await callWith(gateway, identity, `Bearer ${relayToken}`), 'A-53').toBe(status.UNAUTHENTICATED);
});

describe('A-54: the handshake refuses', () => {
  const hour = 3_600_000;
  const at = (from: number, to: number) => ({
    notBefore: new Date(Date.now() + from),
    notAfter: new Date(Date.now() + to),
  });

  async function callOver(gateway: TestGateway, identityDir: string): Promise<number> {
    const client = await connectGateway({ address: gateway.address, identityDir });
    return await codeOf(client.call(listHosts, { pageToken: '' })).finally(() => client.close());
  }

  test('no certificate at all', async () => {
    await using gateway = await startTestGateway();
    const { authority } = await readIdentity(await gateway.identity(admin));
    const client = new Client(gateway.address, credentials.createSsl(authority));
    expect(await codeOf(unaryCall(client, RelayServiceService.token, {}))).toBe(status.UNAVAILABLE);
    client.close();
  });

  test('a certificate of another authority, expired, or not valid yet', async () => {
    await using gateway = await startTestGateway();
    const bad = [
      { authority: await makeAuthority('Test CA') },
      { period: at(-2 * hour, -hour) },
      { period: at(hour, 2 * hour) },
    ];
    expect(await callOver(gateway, await gateway.identity(admin))).toBe(status.OK);
    for (const options of bad)
      expect(await callOver(gateway, await gateway.identity(admin, options))).toBe(status.UNAVAILABLE);
  });

  test("a server's certificate, and one that is signed by itself", async () => {
    await using gateway = await startTestGateway();
    const { authority } = await readIdentity(await gateway.identity(admin));
    const server = await issueServerCertificate(gateway.authority, ['localhost']);
    const own = await makeAuthority('admin');
    for (const { certificate, key } of [server, own]) {
      const tls = credentials.createSsl(authority, Buffer.from(key), Buffer.from(certificate));
      const client = new Client(gateway.address, tls);
      expect(await codeOf(unaryCall(client, RelayServiceService.token, {}))).toBe(status.UNAVAILABLE);
      client.close();
    }
  });
});

test('A-55: a session is never resumed, with a certificate or without, and TLS 1.2 is not spoken', async () => {
  await using gateway = await startTestGateway();
  const { authority: ca, certificate: cert, key } = await readIdentity(await gateway.identity(admin));
  const open = (more: object): TLSSocket =>
    connect({ port: gateway.port, ca, ALPNProtocols: ['h2'], servername: 'localhost', ...more });
  const first = open({ cert, key });
  const sessions: Buffer[] = [];
  first.on('session', (session) => sessions.push(session));
  await once(first, 'secureConnect');
  // In HTTP/2 the server speaks first: its settings show that the handshake is over.
  await once(first, 'data');
  first.destroy();
  for (const session of sessions) {
    const again = open({ session, cert, key });
    await once(again, 'secureConnect');
    expect(again.isSessionReused()).toBe(false);
    again.destroy();
    const nameless = open({ session });
    const [error] = (await once(nameless, 'error')) as [Error];
    expect(error.message).toContain('certificate required');
  }
  const [error] = (await once(open({ cert, key, maxVersion: 'TLSv1.2' }), 'error')) as [Error];
  expect(error.message).toContain('protocol version');
});

describe('A-57: a client refuses a gateway that is not its own', () => {
  async function refusal(gateway: TestGateway, identityDir: string): Promise<string> {
    const client = await connectGateway({ address: gateway.address, identityDir });
    const error = (await client
      .call(listHosts, { pageToken: '' })
      .catch((failure: unknown) => failure)) as ServiceError;
    client.close();
    expect(error.code).toBe(status.UNAVAILABLE);
    return error.details;
  }

  test.each([undefined, '0'])('with NODE_TLS_REJECT_UNAUTHORIZED=%s', async (value) => {
    const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    if (value !== undefined) process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = value;
    try {
      await using gateway = await startTestGateway();
      await using other = await startTestGateway({ names: ['elsewhere.example'] });
      const identity = await gateway.identity(admin);
      expect(await refusal(other, identity)).toContain('self-signed certificate');
      expect(await refusal(other, await other.identity(admin))).toContain(
        "Host: localhost. is not in the cert's",
      );
    } finally {
      if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
      else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before;
    }
  });
});

test('A-68: what a caller may do follows from its role alone', async () => {
  const people = { vera: 'viewer', otto: 'operator', admin: 'admin' } as const;
  await using gateway = await startTestGateway({ people });
  const { resolveApproval, createEnrolmentToken } = WardenServiceService;
  const verdict = { id: 'x', verdict: Verdict.APPROVE, planHash: 'h', reason: '', grantSeconds: 0, via: '' };
  const wanted = { relay: relay.name, agents: ['coder'], ttl: 0 };
  const codes: Record<string, number[]> = {};
  for (const name of [...Object.keys(people), relay.name]) {
    const kind = name === relay.name ? 'relay' : 'person';
    const client = await gateway.connect({ kind, name });
    codes[name] = [
      await codeOf(client.call(listHosts, { pageToken: '' })),
      await codeOf(client.call(resolveApproval, verdict)),
      await codeOf(client.call(createEnrolmentToken, wanted)),
    ];
  }
  const { OK, NOT_FOUND, PERMISSION_DENIED } = status;
  expect(codes).toEqual({
    vera: [OK, PERMISSION_DENIED, PERMISSION_DENIED],
    otto: [OK, NOT_FOUND, PERMISSION_DENIED],
    admin: [OK, NOT_FOUND, OK],
    [relay.name]: [PERMISSION_DENIED, PERMISSION_DENIED, PERMISSION_DENIED],
  });
});

test('a viewer runs nothing, and only relays synchronize', async () => {
  await using gateway = await startTestGateway({ people: { vera: 'viewer' } });
  const client = await gateway.connect({ kind: 'person', name: 'vera' });
  for (const stream of [client.execute(), client.synchronize()]) {
    stream.resume();
    const [error] = (await once(stream, 'error')) as [ServiceError];
    expect(error.code).toBe(status.PERMISSION_DENIED);
  }
});

test('A-423 P20: what the log says of refused calls: who, what and why; of many of one name once a second', async () => {
  const lines: string[] = [];
  await using gateway = await startTestGateway({ onLog: (line) => lines.push(line) });
  const refused = () => lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'call refused');
  const [ours, other] = [await gateway.identity(admin), await gateway.identity(relay)];
  const began = performance.now();
  await Promise.all(Array.from({ length: 40 }, () => callWith(gateway, ours)));
  await callWith(gateway, other);
  const of = (name: string) => refused().filter(({ who }) => who === name);
  await expect.poll(() => of('person:admin').length).toBeGreaterThan(1);
  const [first, last] = [of('person:admin').at(0), of('person:admin').at(-1)];
  expect(first.reason).toMatch(`no bearer token, at ${listHosts.path} from `);
  expect(last.reason).toMatch(/ \(the last of \d+ in a second\)$/);
  expect(of('person:admin').length).toBeLessThan(2 + (performance.now() - began) / 1000);
  expect(of(`relay:${relay.name}`)).toHaveLength(1);
});
