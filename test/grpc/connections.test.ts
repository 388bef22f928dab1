import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ServiceError, status } from '@grpc/grpc-js';
import { expect, test } from 'vitest';
import type { Execute } from '../../gateway/execute.ts';
import type { ClawrdenError } from '../../src/errors.ts';
import { newExecutionId } from '../../src/execution-id.ts';
import { connectGateway } from '../../src/gateway-client/connect-gateway.ts';
import type { ExecuteRequest, Start } from '../../src/gen/clawrden/v1/execution.ts';
import type { SynchronizeResponse } from '../../src/gen/clawrden/v1/relay.ts';
import { readIdentity } from '../../src/pki/identity-files.ts';
import { contract } from '../../src/wire/contract.ts';
import { connectRelay } from './connect-relay.ts';
import { relay, startTestGateway } from './gateway.ts';

const start: NonNullable<ExecuteRequest['message']> = {
  $case: 'start',
  value: {
    executionId: newExecutionId(),
    agent: 'coder',
    command: {
      tool: 'sleep',
      args: [],
      cwd: '/',
      env: [],
      umask: 0,
      stdio: [],
      ignored: [],
      blocked: [],
      terminal: undefined,
      version: 1,
    },
    identity: undefined,
    refusal: undefined,
    hostLabels: [],
  },
};

/** An execution that runs until its caller is gone, and the time of that. */
function untilGone() {
  const started = Promise.withResolvers<void>();
  const gone = Promise.withResolvers<{ reason: ClawrdenError; at: number }>();
  const execute: Execute = async (_caller, _request, channel) => {
    started.resolve();
    await once(channel.gone, 'abort');
    gone.resolve({ reason: channel.gone.reason, at: performance.now() });
    return { kind: 'canceled', reason: 'requester-gone', text: '' };
  };
  return { execute, started: started.promise, gone: gone.promise };
}

test.concurrent('P6, A-56: a revoked certificate loses its running work within 30 s', async () => {
  const run = untilGone();
  await using gateway = await startTestGateway({ execute: run.execute });
  const identityDir = await gateway.identity(relay);
  const client = await connectRelay({ address: gateway.address, identityDir });
  const stream = client.execute();
  stream.resume();
  stream.write({ message: start });
  await run.started;
  const revokedAt = performance.now();
  await gateway.revoke(identityDir);
  const [error] = (await once(stream, 'error')) as [ServiceError];
  expect([status.UNAVAILABLE, status.CANCELLED, status.INTERNAL]).toContain(error.code);
  const { reason, at } = await run.gone;
  expect(reason.code).toBe('requester-gone');
  expect(at - revokedAt).toBeLessThan(30_000);
  client.close();
});

test.concurrent('P6: a certificate that expires loses its running work within 30 s', async () => {
  const run = untilGone();
  await using gateway = await startTestGateway({ execute: run.execute });
  const expires = Date.now() + 6000;
  const period = { notBefore: new Date(Date.now() - 60_000), notAfter: new Date(expires) };
  const identityDir = await gateway.identity(relay, { period });
  const client = await connectRelay({ address: gateway.address, identityDir });
  const stream = client.execute();
  stream.on('error', () => {});
  stream.resume();
  stream.write({ message: start });
  await run.started;
  await run.gone;
  expect(Date.now()).toBeGreaterThan(expires - 1000);
  expect(Date.now()).toBeLessThan(expires + 30_000);
  client.close();
});

test.concurrent.each(['SIGKILL', 'SIGSTOP'] as const)(
  'P24: a caller that gets %s is noticed within 15 s',
  async (signal) => {
    const run = untilGone();
    await using gateway = await startTestGateway({ execute: run.execute });
    const program = join(import.meta.dirname, 'frozen-client.ts');
    const child = spawn(process.execPath, [program, gateway.address, await gateway.identity(relay)], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    try {
      await run.started;
      const at = performance.now();
      child.kill(signal);
      const gone = await run.gone;
      expect(gone.reason.code).toBe('requester-gone');
      expect(gone.at - at).toBeLessThan(15_000);
    } finally {
      child.kill('SIGKILL');
    }
  },
  40_000,
);

test('a server that is closed at once leaves no connection to a client whose call goes on', async () => {
  const run = untilGone();
  await using gateway = await startTestGateway({ execute: run.execute });
  const client = await connectRelay({
    address: gateway.address,
    identityDir: await gateway.identity(relay),
  });
  const stream = client.execute();
  stream.resume();
  stream.write({ message: start });
  await run.started;
  const told = once(stream, 'error', { signal: AbortSignal.timeout(5000) });
  await gateway.close(0);
  expect([status.UNAVAILABLE, status.CANCELLED, status.INTERNAL]).toContain(
    ((await told)[0] as ServiceError).code,
  );
  await run.gone;
  client.close();
});

test('the server offers windows of 1 MiB, per stream and per connection, and bounds headers', async () => {
  await using gateway = await startTestGateway();
  const { authority: ca, certificate: cert, key } = await readIdentity(await gateway.identity(relay));
  const session = connectHttp2(`https://${gateway.address}`, { ca, cert, key });
  session.on('error', () => {});
  await once(session, 'remoteSettings');
  expect(session.remoteSettings).toMatchObject({
    initialWindowSize: 1024 * 1024,
    maxConcurrentStreams: 2016,
  });
  const post = (more: object) =>
    session.request({ ':method': 'POST', ':path': '/x', 'content-type': 'application/grpc', ...more });
  const [headers] = await once(post({}).end(), 'response');
  expect(headers['grpc-status']).toBe(`${status.UNIMPLEMENTED}`);
  while ((session.state.remoteWindowSize ?? 0) < 1024 * 1024) await sleep(10);
  const refused = post({ 'x-much': 'x'.repeat(60_000) }).end();
  const [error] = (await once(refused, 'error')) as [Error];
  expect(error.message).toContain('NGHTTP2');
  session.destroy();
});

test('A-58: a message over 2 MiB ends its call, and no other', async () => {
  await using gateway = await startTestGateway();
  const client = await gateway.connect(relay);
  const large = client.execute();
  large.resume();
  const { value } = start as { value: Start };
  const command = { ...value.command!, args: ['x'.repeat(3 * 1024 * 1024)] };
  large.write({ message: { $case: 'start', value: { ...value, command } } });
  const small = client.execute();
  small.resume();
  small.write({ message: start });
  const [error] = (await once(large, 'error')) as [ServiceError];
  expect(error.code).toBe(status.RESOURCE_EXHAUSTED);
  await once(small, 'end');
});

test('a relay that synchronizes is told the state at once, is known while connected, and sent off at the end', async () => {
  const wanted = {
    lockdown: false,
    agents: [{ name: 'coder', tools: [], paused: false, killed: false, users: [] }],
  };
  await using gateway = await startTestGateway({ state: () => wanted });
  const stream = (
    await connectGateway({ address: gateway.address, identityDir: await gateway.identity(relay) })
  ).synchronize();
  const agent = { name: 'coder', containerRunning: true, tools: ['npm'], problem: '', halted: false };
  const config = { relay: relay.name, name: 'coder' } as Parameters<typeof gateway.relays.report>[0];
  stream.write({ version: '1', contract: 0, agents: [agent] });
  const [state] = (await once(stream, 'data')) as [SynchronizeResponse];
  expect(state).toEqual({ ...wanted, authority: '', contract, leaving: false });
  while (gateway.relays.report(config) === undefined) await sleep(5);
  expect(gateway.relays.report(config)).toEqual(agent);
  const ended = once(stream, 'end');
  stream.resume();
  const closed = gateway.close(60_000);
  await ended;
  await closed;
  expect(gateway.relays.report(config)).toBeUndefined();
});
