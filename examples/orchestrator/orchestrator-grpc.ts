// The same as orchestrator.ts, over gRPC, from the .proto files alone: no generated code.
//
//   CLAWRDEN_GATEWAY=127.0.0.1:8443 CLAWRDEN_IDENTITY=ci.identity node orchestrator-grpc.ts AGENT TOOL [ARG…]
//
// The identity is the folder that `clawrden login` made with the code of `clawrden tokens certificate`: the authority, the certificate and the key.
// Ctrl+C cancels the command.

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, credentials, Metadata, type MethodDefinition } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

const { CLAWRDEN_GATEWAY: gateway = '127.0.0.1:8443', CLAWRDEN_IDENTITY: identity = '.' } = process.env;
const [agent = '', tool = '', ...args] = process.argv.slice(2);

const services = loadSync(
  ['execution', 'relay', 'warden'].map((name) => `clawrden/v1/${name}.proto`),
  {
    includeDirs: [join(import.meta.dirname, '../../proto')],
    ...{ keepCase: true, longs: String, enums: String, defaults: true, oneofs: true },
  },
);
const pem = (name: string) => readFileSync(join(identity, `${name}.pem`));
const client = new Client(gateway, credentials.createSsl(pem('ca'), pem('key'), pem('cert')));

type Message = Record<string, unknown>;

/** `message` says which of the others is there. */
interface Answer {
  readonly message: string;
  readonly pending: { readonly approval_id: string };
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  readonly outcome: { readonly code: number; readonly reason: string; readonly text: string };
}

function methodOf(service: string, name: string): MethodDefinition<object, object> {
  const methods = services[`clawrden.v1.${service}`] as Record<string, MethodDefinition<object, object>>;
  const method = methods[name];
  if (method === undefined) throw new Error(`${service} has no ${name}`);
  return method;
}

async function call(
  service: string,
  name: string,
  request: object,
  metadata = new Metadata(),
): Promise<Message> {
  const { path, requestSerialize, responseDeserialize } = methodOf(service, name);
  const answer = Promise.withResolvers<Message>();
  const deadline = new Date(Date.now() + 10_000);
  client.makeUnaryRequest(
    path,
    requestSerialize,
    responseDeserialize,
    request,
    metadata,
    { deadline },
    (error, value) => (error === null ? answer.resolve(value as Message) : answer.reject(error)),
  );
  return answer.promise;
}

/** UUIDv7: the gateway starts an id once, so a request that is sent again runs nothing twice. */
function newExecutionId(): string {
  const hex = Date.now().toString(16).padStart(12, '0') + randomBytes(10).toString('hex');
  const variant = '89ab'[Number.parseInt(hex.charAt(16), 16) & 3];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}

async function main(): Promise<void> {
  // The certificate says who calls; this token, bound to it, says it of each call for a few minutes.
  const { token } = await call('RelayService', 'Token', {});
  const metadata = new Metadata();
  metadata.set('authorization', `Bearer ${String(token)}`);
  const listed = (await call('WardenService', 'ListAgents', {}, metadata)) as { agents: Message[] };
  for (const { name, paused, killed } of listed.agents)
    process.stdout.write(`${String(name)}: ${killed ? 'killed' : paused ? 'paused' : 'active'}\n`);
  await run(metadata);
}

/** What it prints is printed, and its exit code is ours. */
async function run(metadata: Metadata): Promise<void> {
  const { path, requestSerialize, responseDeserialize } = methodOf('ExecutionService', 'Execute');
  const stream = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, metadata);
  const command = { tool, args, umask: 0o022, stdio: ['null', 'pipe', 'pipe'], version: 1 };
  stream.write({ start: { execution_id: newExecutionId(), agent, command } });
  process.once('SIGINT', () => stream.write({ cancel: {} }));
  stream.on('data', ({ message, pending, stdout, stderr, outcome }: Answer) => {
    if (message === 'pending') process.stderr.write(`a person is asked: ${pending.approval_id}\n`);
    if (message === 'stdout') process.stdout.write(stdout);
    if (message === 'stderr') process.stderr.write(stderr);
    if (message !== 'outcome') return;
    // Refused, and nothing ran: the line says why, and what to do.
    if (outcome.text !== '') process.stderr.write(`${outcome.reason}: ${outcome.text}\n`);
    process.exitCode = outcome.code;
  });
  await once(stream, 'end');
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${String(error)}\n`);
  process.exitCode = 1;
} finally {
  client.close();
}
