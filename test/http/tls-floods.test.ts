import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openServerFiles } from '../../gateway/live-config/server-files.ts';
import { makeAuthority } from '../../src/pki/authority.ts';
import { issueServerCertificate } from '../../src/pki/issue-certificate.ts';
import { connectRawTls, type RawTls } from '../grpc/raw-tls.ts';
import { replaceDoor } from '../warden/door-files.ts';
import { type HttpGateway, loopback, startHttpGateway } from './http-gateway.ts';

let dir: string;
let door: HttpGateway;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'clawrden-http-tls-'));
  const company = await makeAuthority('Company');
  await replaceDoor(dir, await issueServerCertificate(company, ['127.0.0.1']));
  const tls = openServerFiles({ cert: join(dir, 'door.pem'), key: join(dir, 'door.key') }, 'http.tls');
  door = await startHttpGateway({ http: loopback, tls });
});
afterAll(async () => {
  await door[Symbol.asyncDispose]();
  await rm(dir, { recursive: true, force: true });
});

const request = 'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n';
const floods: Record<string, (peer: RawTls, round: number) => Buffer> = {
  'key updates': (peer) => peer.keyUpdate(false),
  'key updates that ask for one': (peer) => peer.keyUpdate(true),
  'key updates in pieces': (peer) => peer.keyUpdate(false, 5),
};
/** OpenSSL and the parser end these, or a rate does. */
const others: typeof floods = {
  'empty records': (peer) => peer.seal(Buffer.alloc(0)),
  'a byte in a record': (peer, round) => peer.seal(Buffer.from(request[round % request.length] ?? '')),
};
const most = 1_000_000;

const connected = (from: string, more: object = {}) =>
  connectRawTls({ port: door.port, protocol: 'http/1.1', from, ...more });

async function flood(peer: RawTls, piece: (peer: RawTls, round: number) => Buffer): Promise<number> {
  let sent = 0;
  while (!peer.socket.closed && sent < most) {
    const batch = Array.from({ length: 1000 }, (_, n) => piece(peer, sent + n));
    sent += batch.length;
    const isTaken = peer.socket.write(Buffer.concat(batch));
    const drained = new Promise((resolve) => peer.socket.once('drain', resolve));
    await (isTaken ? new Promise(setImmediate) : Promise.race([peer.ended, drained]));
  }
  return sent;
}

/** Whether a request over the connection is answered. */
async function isAnswered(peer: RawTls): Promise<boolean> {
  const answered = new Promise((resolve) => peer.socket.once('data', () => resolve(true)));
  peer.socket.write(peer.seal(Buffer.from(request)));
  return (await Promise.race([answered, peer.ended])) === true;
}

test.each(Object.entries(floods).map(([kind, piece], n) => [kind, piece, `127.0.7.${n + 1}`] as const))(
  'A-620 P20: a stranger who floods the HTTPS door with %s loses his connection and the next ones, and others are served',
  async (_, piece, from) => {
    expect(await flood(await connected(from), piece)).toBeLessThan(most);
    await expect(connected(from)).rejects.toThrow('the server ended');
    const other = await connected('127.0.8.1');
    expect(await isAnswered(other)).toBe(true);
    other.socket.destroy();
  },
);

test.each(Object.entries(others))('A-620 P20: a flood of %s ends', async (_, piece) => {
  expect(await flood(await connected('127.0.7.8'), piece)).toBeLessThan(most);
});

test('A-620 P20: a handshake without end ends; who updates his keys now and then and writes small records is served', async () => {
  const long = () => connected('127.0.7.9', { fragmentBytes: 1, paddingBytes: 60_000 });
  // It ends while it still comes, or with its end.
  const first = long().then(async ({ ended }) => await ended);
  await first.catch((error: Error) => expect(error.message).toContain('the server ended'));
  await expect(long()).rejects.toThrow('the server ended');
  const peer = await connected('127.0.8.2');
  for (let n = 0; n < 10; n += 1) peer.socket.write(peer.keyUpdate(n % 2 === 0));
  for (const byte of request.slice(0, -2)) peer.socket.write(peer.seal(Buffer.from(byte)));
  await sleep(300);
  const answered = new Promise((resolve) => peer.socket.once('data', resolve));
  peer.socket.write(peer.seal(Buffer.from('\r\n')));
  await answered;
  peer.socket.destroy();
});
