import { createPublicKey } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { fetchAuthority } from '../../../gateway-client/fetch-authority.ts';
import { makeAuthority } from '../../../pki/authority.ts';
import { identityFiles } from '../../../pki/identity-files.ts';
import { issueClientCertificate } from '../../../pki/issue-certificate.ts';
import { makeKey } from '../../../pki/keys.ts';
import { checkRelayGateway } from './check-relay-gateway.ts';

let folder: string;
let server: Server;
let port: number;
const sending = new Set<NodeJS.Timeout>();

/** Begins a TLS record, and never ends it, byte by byte. */
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'clawrden-check-'));
  server = createServer((socket) => {
    socket.on('error', () => {});
    socket.write(Buffer.from([0x16, 3, 3, 0x40, 0, 2, 0, 0x3f, 0xfc]));
    const each = setInterval(() => socket.write(Buffer.alloc(1)), 10);
    sending.add(each);
    socket.on('close', () => clearInterval(each));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});

afterEach(() => {
  vi.useRealTimers();
  for (const each of sending) clearInterval(each);
  server.close();
  rmSync(folder, { recursive: true });
});

async function tenSecondsPass(): Promise<void> {
  const [socket] = (await once(server, 'connection')) as [Socket];
  await once(socket, 'data');
  vi.advanceTimersByTime(10_000);
}

test('A-390: who stands in the place of the gateway holds up no enrolment, byte by byte', async () => {
  const fetched = fetchAuthority('127.0.0.1', port, []);
  await Promise.all([expect(fetched).rejects.toThrow('no answer within 10 s'), tenSecondsPass()]);
});

test('A-390: who stands in the place of the gateway holds up no doctor, byte by byte', async () => {
  const authority = await makeAuthority('test');
  const key = makeKey();
  const peer = { kind: 'relay', name: 'r' } as const;
  const certificate = await issueClientCertificate(authority, peer, createPublicKey(key));
  writeFileSync(join(folder, identityFiles.authority), authority.certificate);
  writeFileSync(join(folder, identityFiles.certificate), certificate);
  writeFileSync(join(folder, identityFiles.key), key);
  const gateway = `127.0.0.1:${port}`;
  const checked = checkRelayGateway({ gateway, identity: folder });
  await tenSecondsPass();
  expect(await checked).toMatchObject([
    { level: 'error', text: `${gateway} does not answer (it says nothing)` },
  ]);
});
