import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadPeerCredentials } from './peer-credentials.ts';

const asRoot = process.geteuid?.() === 0;
let directory: string;
let server: Server;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'clawrden-peer-test-'));
  server = createServer({ pauseOnConnect: true });
  server.listen(join(directory, 's'));
  await once(server, 'listening');
});

afterEach(() => {
  server.close();
  rmSync(directory, { recursive: true });
});

async function accepted(): Promise<Socket> {
  const [socket] = (await once(server, 'connection')) as [Socket];
  return socket;
}

test('P1: reads this process back', async () => {
  const credentials = loadPeerCredentials();
  await credentials.selfTest();
  const client = connect(join(directory, 's'));
  const socket = await accepted();
  expect(credentials.of(socket)).toEqual({
    pid: process.pid,
    uid: process.geteuid?.(),
    gid: process.getegid?.(),
  });
  client.destroy();
  socket.destroy();
});

test.runIf(asRoot)('P1: reads the ids of another process, whatever it becomes after', async () => {
  chmodSync(directory, 0o755);
  chmodSync(join(directory, 's'), 0o777);
  const program = `process.setegid(1234); process.seteuid(1000);
    require('net').connect(process.argv[1]).on('connect', () => process.seteuid(0));
    setTimeout(() => {}, 60_000);`;
  const client = spawn(process.execPath, ['-e', program, join(directory, 's')], { stdio: 'inherit' });
  const socket = await accepted();
  expect(loadPeerCredentials().of(socket)).toEqual({ pid: client.pid, uid: 1000, gid: 1234 });
  client.kill('SIGKILL');
  socket.destroy();
});

test('throws for a socket that is closed, and for one that is not a Unix socket', async () => {
  const credentials = loadPeerCredentials();
  const tcp = createServer();
  tcp.listen(0, '127.0.0.1');
  await once(tcp, 'listening');
  const address = tcp.address();
  const client = connect(typeof address === 'object' && address !== null ? address.port : 0, '127.0.0.1');
  const [socket] = (await once(tcp, 'connection')) as [Socket];
  expect(() => credentials.of(socket)).toThrow('not a connected Unix socket');
  client.destroy();
  socket.destroy();
  tcp.close();
  expect(() => credentials.of(socket)).toThrow('no descriptor');
});

test('A-14: says what is wrong and how to mend it if the addon is missing or is another one', () => {
  expect(() => loadPeerCredentials(join(directory, 'absent.node'))).toThrow(
    /absent\.node cannot be loaded .*make -C shim\/native/s,
  );
  writeFileSync(join(directory, 'bad.node'), 'no addon');
  expect(() => loadPeerCredentials(join(directory, 'bad.node'))).toThrow(/cannot be loaded/);
});

test('A-14: the self-test fails if the addon reads something else', async () => {
  const liar = join(directory, 'liar.cjs');
  writeFileSync(
    liar,
    'exports.peerCredentials = () => ({ pid: 1, uid: 0, gid: 0 }); exports.lockDescriptor = exports.refuseDescriptors = exports.duplicate = exports.boundCertificateChains = exports.beat = () => true;',
  );
  await expect(loadPeerCredentials(liar).selfTest()).rejects.toThrow('failed its self-test');
});
