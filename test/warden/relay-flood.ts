import { request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { newExecutionId } from '../../src/execution-id.ts';
import type { GatewayClient } from '../../src/gateway-client/connect-gateway.ts';
import { RelayServiceService } from '../../src/gen/clawrden/v1/relay.ts';
import { WardenServiceService } from '../../src/gen/clawrden/v1/warden.ts';
import { makeCertificateRequest } from '../../src/pki/certificate-request.ts';
import { readIdentity } from '../../src/pki/identity-files.ts';
import { connectRelay } from '../grpc/connect-relay.ts';

/**
 * A program: everything at once that somebody with a relay's certificate can do. Says so when it begins, and at the end
 * of its input how often it did what.
 */
export interface FloodOf {
  readonly grpcAddress: string;
  readonly enrollAddress: string;
  readonly httpUrl: string;
  readonly identityDir: string;
}

const flood = JSON.parse(process.argv[2] ?? '{}') as FloodOf;
let isOver = false;
const counts: Record<string, number> = {};
const pause = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Does it again and again, `wide` at a time, until the end. */
async function again(name: string, wide: number, once: () => Promise<unknown>): Promise<void> {
  counts[name] = 0;
  const one = async () => {
    while (!isOver) {
      await Promise.race([once().catch(() => {}), sleep(1000)]);
      counts[name] = (counts[name] ?? 0) + 1;
      await pause();
    }
  };
  await Promise.all(Array.from({ length: wide }, one));
}

function execute(
  client: GatewayClient,
  agent: string,
  tool: string,
  args: readonly string[] = [],
): Promise<void> {
  const rest = {
    cwd: '/app',
    env: [],
    umask: 18,
    stdio: [],
    ignored: [],
    blocked: [],
    terminal: undefined,
    version: 1,
  };
  const command = { tool, args: [...args], ...rest };
  const stream = client.execute();
  stream.on('data', () => {});
  const identity = { uid: 1000, gid: 1000 };
  const value = {
    executionId: newExecutionId(),
    agent,
    command,
    identity,
    refusal: undefined,
    hostLabels: [],
  };
  stream.write({ message: { $case: 'start', value } });
  return new Promise((resolve) => {
    stream.on('error', () => {}).on('status', () => resolve());
    setTimeout(() => stream.cancel(), 200);
  });
}

function overHttp(from: string, path: string, token: string, body = ''): Promise<void> {
  return new Promise((resolve) => {
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': body.length,
    };
    const asked = request(`${flood.httpUrl}${path}`, {
      method: body === '' ? 'GET' : 'POST',
      headers,
      localAddress: from,
    });
    asked.on('response', (answer) => answer.resume()).on('error', () => {});
    asked.on('close', () => resolve());
    // A part of it, and then nothing.
    if (body === '') asked.end();
    else asked.write(body.slice(0, 1));
    setTimeout(() => asked.destroy(), 2000);
  });
}

const at = (address: string) => ({ host: '127.0.0.1', port: Number(address.split(':').at(-1)) });

function silent(address: string, bytes: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect({ ...at(address), localAddress: '127.6.0.2' });
    socket.on('error', () => {}).on('close', () => resolve());
    socket.on('connect', () => socket.write(bytes));
    setTimeout(() => socket.destroy(), 500);
  });
}

const { authority: ca, certificate: cert, key } = await readIdentity(flood.identityDir);
const { request: certificateRequest } = await makeCertificateRequest();

function handshake(): Promise<void> {
  return new Promise((resolve) => {
    const socket = connectTls({
      ...at(flood.grpcAddress),
      ca,
      cert,
      key,
      servername: 'localhost',
      ALPNProtocols: ['h2'],
    });
    socket.on('error', () => {}).on('close', () => resolve());
    socket.on('secureConnect', () => socket.destroy());
    setTimeout(() => socket.destroy(), 1000);
  });
}

const client = await connectRelay({ address: flood.grpcAddress, identityDir: flood.identityDir });
const long = 'x'.repeat(64 * 1024);
process.stdin
  .on('data', () => {})
  .on('end', () => {
    isOver = true;
  });
process.stdout.write('on\n');
await Promise.all([
  again('own commands', 100, () => execute(client, 'coder', 'run')),
  again('own questions', 50, () => execute(client, 'coder', 'ask', [long])),
  again("another's commands", 50, () => execute(client, 'other', 'run')),
  again('unknown agents', 50, () => execute(client, newExecutionId().slice(0, 30), 'run')),
  again('tokens', 20, () => client.call(RelayServiceService.token, {})),
  again('certificates', 20, () => client.call(RelayServiceService.renew, { certificateRequest })),
  again("people's lists", 20, () => client.call(WardenServiceService.listAgents, { pageToken: '' })),
  again('handshakes', 8, handshake),
  again('silent connections', 50, () => silent(flood.grpcAddress, '\x16\x03\x01')),
  again('enrolments', 20, () => silent(flood.enrollAddress, '\x16\x03\x01')),
  again('wrong tokens', 20, () => overHttp('127.6.0.3', '/api/v1/status', newExecutionId())),
  again('slow bodies', 50, () =>
    overHttp('127.6.0.4', '/api/v1/executions', newExecutionId(), '{"agent":""}'),
  ),
]);
client.close();
process.stdout.write(JSON.stringify(counts), () => process.exit(0));
