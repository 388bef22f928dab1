import { once } from 'node:events';
import { chmodSync, readFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { Client, type ClientDuplexStream, credentials, Metadata } from '@grpc/grpc-js';
import { newExecutionId } from '../../../src/execution-id.ts';
import type { Command, ExecuteRequest, ExecuteResponse } from '../../../src/gen/clawrden/v1/execution.ts';
import { executeMethod } from '../../../src/wire/execute-method.ts';
import { encodeFrame, FrameType } from '../../../src/wire/frames.ts';
import type { BareRelayConfig } from './chain.ts';

// A relay without any logic: a Unix socket, JSON, one gRPC stream for each request, and the bytes back. No peer
// credentials, no limits, no checks. Prints `ready` when it listens; ends when its stdin ends.
const config = JSON.parse(process.argv[2] ?? '') as BareRelayConfig;
const read = (name: string) => readFileSync(`${config.folder}/${name}`);
const tls = credentials.createSsl(read('ca.pem'), read('client-key.pem'), read('client.pem'));
const unread = encodeFrame(FrameType.unread, Buffer.alloc(4));
const client = new Client(`localhost:${config.port}`, tls, { 'grpc.enable_http_proxy': 0 });
const server = createServer((socket) => serve(socket));
server.listen(config.socket);
await once(server, 'listening');
chmodSync(config.socket, 0o666);
process.stdout.write('ready\n');
process.stdin.resume();
await once(process.stdin, 'end');
process.exit();

function serve(socket: Socket): void {
  let received = Buffer.alloc(0);
  socket.on('error', () => {});
  const onData = (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    if (received.length < 4 || received.length < 4 + received.readUInt32BE(0)) return;
    socket.off('data', onData).resume();
    ask(socket, JSON.parse(received.toString('utf8', 4, 4 + received.readUInt32BE(0))) as Asked);
  };
  socket.on('data', onData);
}

interface Asked {
  readonly command: string;
  readonly args: string[];
  readonly cwd: string;
  readonly env: string[];
}

function ask(socket: Socket, { command: tool, args, cwd, env }: Asked): void {
  const { path, requestSerialize, responseDeserialize } = executeMethod;
  const call = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, new Metadata());
  call.on('error', (error) => process.stderr.write(`bare relay: ${error.message}\n`));
  call.on('data', ({ message }: ExecuteResponse) => answer(socket, call, message));
  const rest = {
    umask: 18,
    stdio: ['null', 'pipe', 'pipe'],
    ignored: [],
    blocked: [],
    terminal: undefined,
    version: 1,
  };
  const command: Command = { tool, args, cwd, env, ...rest };
  const ids = { executionId: newExecutionId(), agent: 'coder', identity: { uid: 1000, gid: 1000 } };
  const value = { ...ids, command, refusal: undefined, hostLabels: [] };
  call.write({ message: { $case: 'start', value } });
}

function answer(
  socket: Socket,
  call: ClientDuplexStream<ExecuteRequest, ExecuteResponse>,
  message: ExecuteResponse['message'],
): void {
  if (message?.$case === 'accepted') socket.write(Buffer.of(0));
  if (message?.$case === 'runOriginal') socket.end(Buffer.of(3));
  if (message?.$case === 'outcome') {
    const { code, signal } = message.value;
    socket.end(Buffer.concat([unread, encodeFrame(FrameType.exit, Buffer.of(code, signal))]));
  }
  if (message?.$case === 'runOriginal' || message?.$case === 'outcome') call.end();
}
