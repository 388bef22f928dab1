import { createPrivateKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rmdir, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { type ServiceError, status } from '@grpc/grpc-js';
import { expect, test } from 'vitest';
import { connectGateway } from '../../src/gateway-client/connect-gateway.ts';
import { enroll } from '../../src/gateway-client/enroll.ts';
import { openChannel } from '../../src/gateway-client/open-channel.ts';
import { renewIdentity } from '../../src/gateway-client/renew-identity.ts';
import { unaryCall } from '../../src/gateway-client/unary-call.ts';
import { RelayServiceService } from '../../src/gen/clawrden/v1/relay.ts';
import { WardenServiceService } from '../../src/gen/clawrden/v1/warden.ts';
import { endingAuthority, makeAuthority } from '../../src/pki/authority.ts';
import { makeCertificateRequest } from '../../src/pki/certificate-request.ts';
import { issueServerCertificate } from '../../src/pki/issue-certificate.ts';
import { admin, relay, startTestGateway, type TestGateway } from './gateway.ts';

async function newToken(gateway: TestGateway): Promise<string> {
  const client = await gateway.connect(admin);
  const wanted = { relay: relay.name, agents: ['coder'], ttl: 60 };
  return (await client.call(WardenServiceService.createEnrolmentToken, wanted)).token;
}

/** Another authority signs from now on; the former one counts for so long. */
async function rotate({ authorities, authority }: TestGateway, overlapMs: number) {
  const next = await makeAuthority('Next CA');
  const { certificate, key } = await issueServerCertificate(next, ['localhost']);
  const formerUntil = Date.now() + overlapMs;
  const former = await endingAuthority(authority, new Date(formerUntil));
  const server = { certificate: certificate + next.certificate, key };
  authorities.follow({ authority: next, server, formerUntil, former });
  return { next, former };
}

test('a relay enrols with a token, and is then let in as itself', async () => {
  await using gateway = await startTestGateway();
  const identityDir = join(gateway.dir, 'new-relay');
  const token = await newToken(gateway);
  const enrolled = await enroll({ address: gateway.enrollAddress, token, as: 'relay', identityDir });
  expect(enrolled).toEqual({ kind: 'relay', name: 'host-7', agents: ['coder'], gateway: gateway.address });
  expect(await readFile(join(identityDir, 'ca.pem'), 'utf8')).toBe(gateway.authority.certificate);
  expect((await stat(join(identityDir, 'key.pem'))).mode & 0o777).toBe(0o600);
  const client = await connectGateway({ address: enrolled.gateway, identityDir });
  expect(await client.waitForReady(5000)).toBe(true);
  const stream = client.synchronize();
  await new Promise((resolve) => stream.once('data', resolve));
  client.close();
});

test('A-475 P6: who enrols in an overlap by a token of before keeps of the former authority only what ends with it', async () => {
  await using gateway = await startTestGateway();
  const token = await newToken(gateway);
  const { next, former } = await rotate(gateway, 60_000);
  const identityDir = join(gateway.dir, 'late-relay');
  const enrolled = await enroll({ address: gateway.enrollAddress, token, as: 'relay', identityDir });
  expect(await readFile(join(identityDir, 'ca.pem'), 'utf8')).toBe(former + next.certificate);
  const client = await connectGateway({ address: enrolled.gateway, identityDir });
  expect(await client.waitForReady(5000)).toBe(true);
  client.close();
});

test('A-501 P6: a token of before a rotation ends with the overlap, also for a client that looks at no pin', async () => {
  await using gateway = await startTestGateway();
  const before = await newToken(gateway);
  const { next } = await rotate(gateway, 3000);
  const within = await newToken(gateway);
  await expect.poll(() => gateway.authorities.letGo(), { interval: 50, timeout: 10_000 }).toBe(true);
  const client = openChannel(gateway.enrollAddress, { authority: next.certificate });
  const { request: certificateRequest } = await makeCertificateRequest();
  const enrolBy = (token: string) =>
    unaryCall(client, RelayServiceService.enroll, { token, certificateRequest });
  await expect(enrolBy(before)).rejects.toMatchObject({
    code: status.PERMISSION_DENIED,
    details: 'the token is of an authority that does not count any more',
  });
  expect(await enrolBy(within)).toMatchObject({ relay: relay.name });
  client.close();
});

test('A-578: a token works once; what is refused leaves the key by which it asks again, and nothing else', async () => {
  await using gateway = await startTestGateway();
  const token = await newToken(gateway);
  const address = gateway.enrollAddress;
  await enroll({ address, token, as: 'relay', identityDir: join(gateway.dir, 'first') });
  await newToken(gateway);
  const identityDir = join(gateway.dir, 'second');
  const error = (await enroll({ address, token, as: 'relay', identityDir }).catch(
    (e: unknown) => e,
  )) as ServiceError;
  expect(error).toMatchObject({ code: status.PERMISSION_DENIED, details: 'the token was used before' });
  expect(await readdir(identityDir)).toEqual([expect.stringMatching(/^enrolling-\w+\.pem$/)]);
});

test("A-524: an enrolment that is cut off behind the gateway's decision goes on with its token, from its folder", async () => {
  const sockets = new Set<Socket>();
  await using gateway = await startTestGateway({
    onLog: (line) => {
      if (line.includes('"enrolled"')) for (const socket of sockets) socket.destroy();
    },
  });
  await using between = await startProxy(Number(gateway.enrollAddress.split(':')[1]), sockets);
  const identityDir = join(gateway.dir, 'new-relay');
  const options = { token: await newToken(gateway), as: 'relay', identityDir } as const;
  // Its connection is lost.
  await expect(enroll({ ...options, address: `localhost:${between.port}` })).rejects.toMatchObject({
    code: status.UNAVAILABLE,
  });
  const [left = '', ...more] = await readdir(identityDir);
  expect([left, more]).toEqual([expect.stringMatching(/^enrolling-\w+\.pem$/), []]);
  const key = await readFile(join(identityDir, left), 'utf8');
  // It ends before it has written its settings, and before its certificate is there.
  const address = gateway.enrollAddress;
  const keep = () => Promise.reject(new Error('cut off'));
  await expect(enroll({ ...options, address, keep })).rejects.toThrow('cut off');
  await mkdir(join(identityDir, 'cert.pem'));
  await expect(enroll({ ...options, address })).rejects.toThrow('cert.pem');
  const thief = enroll({ ...options, address, identityDir: join(gateway.dir, 'thief') });
  await expect(thief).rejects.toMatchObject({ code: status.PERMISSION_DENIED });
  await rmdir(join(identityDir, 'cert.pem'));
  const enrolled = await enroll({ ...options, address });
  expect(await readFile(join(identityDir, 'key.pem'), 'utf8')).toBe(key);
  expect((await readdir(identityDir)).sort()).toEqual(['ca.pem', 'cert.pem', 'key.pem']);
  const client = await connectGateway({ address: enrolled.gateway, identityDir });
  expect(await client.waitForReady(5000)).toBe(true);
  client.close();
});

/** Connections to `port` go through here; `sockets` has those that are open. */
async function startProxy(port: number, sockets: Set<Socket>): Promise<AsyncDisposable & { port: number }> {
  const server = createServer((socket) => {
    const onward = connect(port, '127.0.0.1');
    for (const [from, to] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      sockets.add(from);
      from.on('error', () => to.destroy()).on('close', () => sockets.delete(from));
      from.pipe(to);
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

test('A-88: while no token is out the enrolment listener speaks to nobody', async () => {
  await using gateway = await startTestGateway();
  await using another = await startTestGateway();
  const token = await newToken(another);
  const enrolled = enroll({
    ...{ address: gateway.enrollAddress, token, as: 'relay' },
    identityDir: join(gateway.dir, 'relay'),
  });
  await expect(enrolled).rejects.toThrow(/enrols only while a token is out/);
});

test('enrolling again renews the certificate; one that fails leaves the old one as it was', async () => {
  await using gateway = await startTestGateway();
  const address = gateway.enrollAddress;
  const identityDir = join(gateway.dir, 'relay');
  const read = () =>
    Promise.all(['ca.pem', 'cert.pem', 'key.pem'].map((name) => readFile(join(identityDir, name))));
  const token = await newToken(gateway);
  await enroll({ address, token, as: 'relay', identityDir });
  const first = await read();
  await newToken(gateway);
  await expect(enroll({ address, token, as: 'relay', identityDir })).rejects.toMatchObject({
    code: status.PERMISSION_DENIED,
  });
  expect(await read()).toEqual(first);
  await enroll({ address, token: await newToken(gateway), as: 'relay', identityDir });
  const [ca, cert, key] = await read();
  expect(ca).toEqual(first[0]);
  expect(cert).not.toEqual(first[1]);
  expect(new X509Certificate(cert!).checkPrivateKey(createPrivateKey(key!))).toBe(true);
  expect((await readdir(identityDir)).sort()).toEqual(['ca.pem', 'cert.pem', 'key.pem']);
});

test('a folder that cannot take the key does not cost the token', async () => {
  await using gateway = await startTestGateway();
  const address = gateway.enrollAddress;
  const token = await newToken(gateway);
  const file = join(gateway.dir, 'file');
  await writeFile(file, '');
  await expect(enroll({ address, token, as: 'relay', identityDir: file })).rejects.toThrow('EEXIST');
  await enroll({ address, token, as: 'relay', identityDir: join(gateway.dir, 'elsewhere') });
});

test('A-57: nothing is sent to a server that is not the one the token pins', async () => {
  const lines: string[] = [];
  await using gateway = await startTestGateway();
  await using impostor = await startTestGateway({ onLog: (line) => lines.push(line) });
  const token = await newToken(gateway);
  await newToken(impostor);
  const identityDir = join(gateway.dir, 'relay');
  await expect(enroll({ address: impostor.enrollAddress, token, as: 'relay', identityDir })).rejects.toThrow(
    'not the gateway that the token was made by',
  );
  expect(lines).toEqual([]);
  await expect(enroll({ address: gateway.address, token: 'x', as: 'relay', identityDir })).rejects.toThrow(
    'not one that enrols a relay',
  );
});

test('the enrolment listener serves enrolment only, and the other one none', async () => {
  await using gateway = await startTestGateway();
  await newToken(gateway);
  const client = openChannel(gateway.enrollAddress, { authority: gateway.authority.certificate });
  const refused = unaryCall(client, RelayServiceService.token, {});
  await expect(refused).rejects.toMatchObject({ code: status.UNIMPLEMENTED });
  client.close();
  const inside = await gateway.connect(relay);
  const enrolment = inside.call(RelayServiceService.enroll, { token: '', certificateRequest: '' });
  await expect(enrolment).rejects.toMatchObject({ code: status.UNIMPLEMENTED });
});

test("P6: a person's certificate is renewed in the last third of its life, by one of many programs at once", async () => {
  await using gateway = await startTestGateway();
  const day = 86_400_000;
  const identity = (before: number, after: number) => {
    const period = {
      notBefore: new Date(Date.now() - before * day),
      notAfter: new Date(Date.now() + after * day),
    };
    return gateway.identity(admin, { period });
  };
  const until = async (dir: string) => new X509Certificate(await readFile(join(dir, 'cert.pem'))).validToDate;
  const [young, old] = [await identity(1, 3), await identity(3, 1)];
  const clients = await Promise.all(
    [young, old, old, old].map(async (identityDir) => ({
      identityDir,
      client: await connectGateway({ address: gateway.address, identityDir }),
    })),
  );
  const before = await until(young);
  const problems = await Promise.all(
    clients.map(({ client, identityDir }) => renewIdentity(client, identityDir)),
  );
  expect(problems).toEqual(['', '', '', '']);
  expect(await until(young)).toEqual(before);
  expect((await until(old)).getTime()).toBeGreaterThan(Date.now() + 300 * day);
  const again = await connectGateway({ address: gateway.address, identityDir: old });
  expect(await again.call(WardenServiceService.listAgents, { pageToken: '' })).toMatchObject({ agents: [] });
  gateway.people.delete('admin');
  const late = await identity(3, 1);
  const refused = await connectGateway({ address: gateway.address, identityDir: late });
  expect(await renewIdentity(refused, late)).toMatch(/could not be renewed/);
  for (const { client } of [...clients, { client: again }, { client: refused }]) client.close();
});
