import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { connectGateway, type GatewayClient } from '../../src/gateway-client/connect-gateway.ts';
import { WardenServiceService } from '../../src/gen/clawrden/v1/warden.ts';
import { issueServerCertificate } from '../../src/pki/issue-certificate.ts';
import { admin, startTestGateway, type TestGateway } from './gateway.ts';
import { type Hostility, hostility } from './hostile-frames.ts';
import { frameTypes, headerBlock, rawFrame, settings, typesIn } from './raw-http2.ts';

const isLong = process.env['CLAWRDEN_LONG'] === '1';
const attacks = isLong ? 2000 : 72;
const atOnce = 12;
const patienceMs = 250;

/** A gateway that follows no rule, for each connection by the next of `all`; it has the real one's certificate. */
async function startHostileGateway(gateway: TestGateway, all: readonly Hostility[]) {
  const { certificate, key } = await issueServerCertificate(gateway.authority, ['localhost']);
  const sockets = new Set<TLSSocket>();
  let served = 0;
  const cert = certificate + gateway.authority.certificate;
  const server = createTlsServer({ cert, key, ALPNProtocols: ['h2'], allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    const what = all[served++ % all.length];
    if (what !== undefined) void attack(socket, what);
  });
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    served: () => served,
    [Symbol.dispose]: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

const answer = rawFrame({
  type: frameTypes.headers,
  flags: 4,
  stream: 1,
  payload: headerBlock([
    [':status', '200'],
    ['content-type', 'application/grpc'],
  ]),
});
const end = rawFrame({
  type: frameTypes.headers,
  flags: 5,
  stream: 1,
  payload: headerBlock([['grpc-status', '0']]),
});

async function attack(socket: TLSSocket, { after, bytes, atLast }: Hostility): Promise<void> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  const called = async () => {
    const until = performance.now() + patienceMs;
    // The bytes after the preface of 24 bytes.
    while (
      !typesIn(Buffer.concat(chunks).subarray(24)).includes(1) &&
      performance.now() < until &&
      !socket.destroyed
    )
      await new Promise((resolve) => setTimeout(resolve, 5));
  };
  const send = (part: Buffer) => void (socket.writable && socket.write(part));
  if (after !== 'nothing' && after !== 'preface') send(settings());
  if (after.endsWith('call')) await called();
  if (after === 'half-closed call' || after === 'call') send(answer);
  if (after === 'call') send(end);
  if (atLast === 'freeze') socket.pause();
  for (const part of bytes) {
    send(part);
    await new Promise(setImmediate);
  }
  if (atLast === 'half-close') socket.end();
  if (atLast === 'reset') socket.destroy();
}

/** Everything that a relay or the command line asks, at once; no call may hang or fail to end. */
function ask(client: GatewayClient): void {
  client.call(WardenServiceService.listHosts, { pageToken: '' }).catch(() => {});
  for (const stream of [client.execute(), client.synchronize(), client.watchApprovals()])
    stream.on('error', () => {}).resume();
}

test(
  'A-84: a gateway that sends whatever frames ends no relay, and the same client is served by the next one',
  async () => {
    await using gateway = await startTestGateway();
    const identityDir = await gateway.identity(admin);
    const all = fc.sample(hostility, { numRuns: attacks, seed: isLong ? Date.now() : 20_261_122 });
    using hostile = await startHostileGateway(gateway, all);
    let reached = hostile.port;
    await using way = await switchable(() => reached);
    const faithful = await connectGateway({ address: `localhost:${way.port}`, identityDir });
    ask(faithful);
    const left = Array.from({ length: attacks });
    const one = async () => {
      while (left.pop() === undefined && left.length > 0) {
        const client = await connectGateway({ address: `localhost:${hostile.port}`, identityDir });
        ask(client);
        await new Promise((resolve) => setTimeout(resolve, patienceMs));
        client.close();
      }
    };
    await Promise.all(Array.from({ length: atOnce }, one));
    expect(hostile.served()).toBeGreaterThanOrEqual(attacks - atOnce);
    reached = gateway.port;
    way.cut();
    expect(await faithful.waitForReady(15_000)).toBe(true);
    const hosts = faithful.call(WardenServiceService.listHosts, { pageToken: '' });
    expect(
      await hosts.catch(() => faithful.call(WardenServiceService.listHosts, { pageToken: '' })),
    ).toMatchObject({ hosts: [] });
    faithful.close();
  },
  isLong ? 300_000 : 40_000,
);

/** A port that leads to what `target` says when a connection begins. */
async function switchable(target: () => number) {
  const sockets = new Set<Socket>();
  const server = createServer((inner) => {
    const outer = connect(target(), '127.0.0.1');
    for (const socket of [inner, outer]) {
      sockets.add(socket);
      socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    }
    inner.pipe(outer).pipe(inner);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    [Symbol.asyncDispose]: async () => {
      server.close();
      cut();
    },
  };
}
