import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Duplex } from 'node:stream';
import { promisify } from 'node:util';
import { Server, ServerCredentials, type ServerDuplexStream } from '@grpc/grpc-js';
import { connect } from '../../../gateway/docker/engine/connect.ts';
import {
  type ExecuteRequest,
  type ExecuteResponse,
  OutcomeKind,
} from '../../../src/gen/clawrden/v1/execution.ts';
import { encodePlan } from '../../../src/init-client/plan-encoding.ts';
import { executeMethod } from '../../../src/wire/execute-method.ts';
import { encodeFrame, FrameReader, FrameType } from '../../../src/wire/frames.ts';
import { planFor } from '../../e2e/engine-fixture.ts';
import type { BareGatewayConfig } from './chain.ts';

// A gateway without any logic: TLS, HTTP/2, gRPC, and the stream of a container whose init waits. No token, policy,
// plan, audit or history. Its first line says where it listens, the second that its containers wait.
const config = JSON.parse(process.argv[2] ?? '') as BareGatewayConfig;
const { docker } = connect(config.engine);
const waiting: Duplex[] = [];
/** Commands that found none: a slow machine makes containers more slowly than they are asked for. */
const wanting: ((stream: Duplex) => void)[] = [];
const plan = encodeFrame(FrameType.plan, encodePlan(planFor(['test', '1'])));

const read = (name: string) => readFileSync(`${config.folder}/${name}`);
const server = new Server();
server.addService(
  { execute: executeMethod },
  { execute: (call: ServerDuplexStream<ExecuteRequest, ExecuteResponse>) => serve(call) },
);
const pair = { private_key: read('server-key.pem'), cert_chain: read('server.pem') };
const credentials = ServerCredentials.createSsl(read('ca.pem'), [pair], true);
const port = await promisify(server.bindAsync.bind(server))('127.0.0.1:0', credentials);
process.stdout.write(`${port}\n`);
await Promise.all(Array.from({ length: config.waiting }, refill));
process.stdout.write('ready\n');
process.stdin.resume();
await once(process.stdin, 'end');
server.forceShutdown();
for (const stream of waiting) stream.destroy();
process.exit();

function serve(call: ServerDuplexStream<ExecuteRequest, ExecuteResponse>): void {
  call.on('error', () => {});
  call.on('data', ({ message }: ExecuteRequest) => {
    if (message?.$case !== 'start') return;
    if (message.value.command?.tool === 'test') void run(call);
    else call.write({ message: { $case: 'runOriginal', value: { planHash: '' } } });
  });
  call.on('end', () => call.end());
}

async function run(call: ServerDuplexStream<ExecuteRequest, ExecuteResponse>): Promise<void> {
  const stream = waiting.shift() ?? (await new Promise<Duplex>((resolve) => wanting.push(resolve)));
  call.write({ message: { $case: 'accepted', value: { planHash: '' } } });
  const reader = new FrameReader();
  stream.on('data', (chunk: Buffer) => {
    for (const { type, payload } of reader.push(chunk)) {
      if (type === FrameType.started)
        call.write({ message: { $case: 'started', value: { host: '', container: '', found: [] } } });
      if (type !== FrameType.exit) continue;
      const value = { kind: OutcomeKind.EXITED, code: payload[0] ?? 0, signal: 0, reason: '', text: '' };
      call.write({ message: { $case: 'outcome', value } });
      stream.destroy();
      void refill();
    }
  });
  stream.write(plan);
}

async function refill(): Promise<void> {
  const container = await docker.createContainer(config.body);
  const ways = { stream: true, stdin: true, stdout: true, stderr: true, hijack: true };
  const stream = (await container.attach(ways)) as Duplex;
  stream.on('error', () => {});
  await container.start();
  await once(stream, 'data');
  // The read bytes are the init's frame "ready", after the engine's own header of eight bytes.
  const give = wanting.shift() ?? ((ready: Duplex) => void waiting.push(ready));
  give(withoutHeaders(stream));
}

/** The engine puts eight bytes before each piece of output; small ones come whole. */
function withoutHeaders(stream: Duplex): Duplex {
  const emit = stream.emit.bind(stream);
  stream.emit = (event: string | symbol, ...args: unknown[]) => {
    const [chunk] = args;
    if (event !== 'data' || !Buffer.isBuffer(chunk)) return emit(event, ...args);
    for (let at = 0; at + 8 <= chunk.length; ) {
      const length = chunk.readUInt32BE(at + 4);
      emit('data', chunk.subarray(at + 8, at + 8 + length));
      at += 8 + length;
    }
    return true;
  };
  return stream;
}
