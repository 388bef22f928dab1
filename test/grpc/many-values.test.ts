import { setTimeout as sleep } from 'node:timers/promises';
import { Server, ServerCredentials, status } from '@grpc/grpc-js';
import { expect, test } from 'vitest';
import type { Execute } from '../../gateway/execute.ts';
import type { StartRequest } from '../../gateway/ports/channel.ts';
import { openChannel } from '../../src/gateway-client/open-channel.ts';
import { unaryCall } from '../../src/gateway-client/unary-call.ts';
import { ExecuteRequest, ExecutionServiceService } from '../../src/gen/clawrden/v1/execution.ts';
import { RelayServiceService } from '../../src/gen/clawrden/v1/relay.ts';
import { WardenServiceService } from '../../src/gen/clawrden/v1/warden.ts';
import { HealthService } from '../../src/gen/health/v1/health.ts';
import { issueServerCertificate } from '../../src/pki/issue-certificate.ts';
import { commandLimits } from '../../src/policy/request/check-command.ts';
import { admin, relay, startTestGateway } from './gateway.ts';
import { open, start } from './open-execute.ts';
import { endOf, framed, openRawCalls } from './raw-calls.ts';

const ended = { kind: 'exited', code: 0, signal: 0 } as const;
const { carry, wayOut, synchronize, token, renew } = RelayServiceService;
const { createEnrolmentToken, explainCommand } = WardenServiceService;
const callersOwn = { token, renew };
const ofPerson = [ExecutionServiceService, callersOwn, WardenServiceService, HealthService].flatMap(
  (service) => Object.values(service as Readonly<Record<string, { readonly path: string }>>),
);
/** Of a field that no request has. */
const values = (count: number) => Buffer.alloc(2 * count, Buffer.from([0x7a, 0]));
const refused = /^3 a message of more than \d+ (?:values|bytes)$/;

test('A-421 P20: no method decodes a message of a million values', async () => {
  await using gateway = await startTestGateway();
  const flood = framed(values(1_000_000));
  using person = await openRawCalls(gateway, await gateway.identity(admin));
  const largest = [ExecutionServiceService.execute, explainCommand, createEnrolmentToken, renew];
  for (const { path } of largest) {
    const call = person.open(path);
    call.end(flood);
    expect([path, await endOf(call)]).toEqual([path, expect.stringMatching(refused)]);
  }
  using host = await openRawCalls(gateway, await gateway.identity(relay));
  const reports = host.open(synchronize.path);
  for (const { path } of [carry, wayOut]) {
    const call = host.open(path);
    call.end(flood);
    expect([path, await endOf(call)]).toEqual([path, expect.stringMatching(refused)]);
  }
  // The connection of a relay ends with its Synchronize, and may be gone before the status.
  reports.write(flood);
  expect(await endOf(reports)).toMatch(/^(?:closed|3 a message of more than 100000 values)$/);
  await expect.poll(() => gateway.relays.places().size).toBe(0);
  expect(gateway.faults.count()).toBe(0);
});

test('A-421 P20: nor one of some thousand values in a call that has a few', async () => {
  await using gateway = await startTestGateway();
  const many = framed(values(30_000));
  using person = await openRawCalls(gateway, await gateway.identity(admin));
  const heard: Record<string, string> = {};
  for (const { path } of ofPerson) {
    const call = person.open(path);
    call.end(many);
    heard[path] = await endOf(call);
  }
  const taken = Object.keys(heard).filter((path) => heard[path] !== '3 a message of more than 256 values');
  const { execute } = ExecutionServiceService;
  expect(taken.sort()).toEqual(
    [execute, createEnrolmentToken, explainCommand].map(({ path }) => path).sort(),
  );
  expect(heard[createEnrolmentToken.path]).toBe('3 a message of more than 10000 values');
});

test('A-471: a message that cannot be decoded ends its call as the fault of its sender', async () => {
  await using gateway = await startTestGateway();
  using person = await openRawCalls(gateway, await gateway.identity(admin));
  const call = person.open(explainCommand.path);
  call.end(framed(Buffer.concat([values(30_000), Buffer.from([0x7a, 100])])));
  expect(await endOf(call)).toBe('3 a message that cannot be decoded');
  expect(gateway.faults.count()).toBe(0);
});

test('A-421: bytes of a command come alone in their message', async () => {
  await using gateway = await startTestGateway({ execute: () => new Promise(() => {}) });
  using person = await openRawCalls(gateway, await gateway.identity(admin));
  const call = person.open(ExecutionServiceService.execute.path);
  call.write(framed(ExecuteRequest.encode({ message: start() }).finish()));
  const stdin = ExecuteRequest.encode({ message: { $case: 'stdin', value: Buffer.from('x') } }).finish();
  call.write(framed(Buffer.concat([stdin, stdin])));
  expect(await endOf(call)).toBe('3 a message of more than 1 values');
});

test('a command at all of its limits is taken', async () => {
  const requests: StartRequest[] = [];
  const execute: Execute = async (_caller, request) => {
    requests.push(request);
    return ended;
  };
  await using gateway = await startTestGateway({ execute });
  const client = await gateway.connect(admin);
  const { args, envEntries } = commandLimits;
  const signals = Array.from({ length: 64 }, (_, at) => at + 1);
  const message = start({
    hostLabels: Array.from({ length: 16 }, (_, at) => ({ key: `key-${at}`, value: 'value' })),
    identity: { uid: 1000, gid: 1000 },
    command: {
      ...{ tool: 'ls', cwd: '/app', umask: 0o22, version: 1, stdio: ['tty', 'tty', 'tty'] },
      args: Array<string>(args).fill('a'),
      env: Array.from({ length: envEntries }, (_, at) => `NAME_${at}=value`),
      ...{ ignored: signals, blocked: signals },
      terminal: { cols: 80, rows: 24 },
    },
  });
  expect(await open(client, message).ended).toBe(status.OK);
  const [{ command, hostLabels }] = requests as [StartRequest];
  expect([command.args.length, command.env.length]).toEqual([args, envEntries]);
  expect([command.ignored, command.blocked]).toEqual([signals, signals]);
  expect(Object.keys(hostLabels)).toHaveLength(16);
});

test('A-421 P20: of commands of one peer that are complete at once, those with thousands of values are taken one in a turn', async () => {
  let turn = 0;
  const takenIn: number[] = [];
  const execute: Execute = async () => {
    takenIn.push(turn);
    return ended;
  };
  await using gateway = await startTestGateway({ execute });
  using person = await openRawCalls(gateway, await gateway.identity(admin));
  const { value } = start() as Extract<ReturnType<typeof start>, { $case: 'start' }>;
  const command = { ...value.command!, args: Array<string>(commandLimits.args).fill('') };
  const bytes = framed(ExecuteRequest.encode({ message: start({ command }) }).finish());
  const calls = Array.from({ length: 20 }, () => person.open(ExecutionServiceService.execute.path));
  for (const call of calls) call.write(bytes.subarray(0, -1));
  await sleep(300);
  const counting = () => {
    turn += 1;
    if (takenIn.length < calls.length) setImmediate(counting);
  };
  counting();
  for (const call of calls) call.write(bytes.subarray(-1));
  await expect.poll(() => takenIn.length, { timeout: 20_000 }).toBe(calls.length);
  expect(new Set(takenIn).size).toBe(calls.length);
});

test('A-421: a gateway that answers with a million values is not believed', async () => {
  await using gateway = await startTestGateway();
  const { certificate, key } = await issueServerCertificate(gateway.authority, ['localhost']);
  const hostile = new Server();
  const flooding = { ...token, responseSerialize: () => values(1_000_000) };
  hostile.addService(
    { token: flooding },
    { token: (_call: unknown, respond: (error: null, value: object) => void) => respond(null, {}) },
  );
  const credentials = ServerCredentials.createSsl(null, [
    { cert_chain: Buffer.from(certificate + gateway.authority.certificate), private_key: Buffer.from(key) },
  ]);
  const port = await new Promise<number>((resolve, reject) =>
    hostile.bindAsync('127.0.0.1:0', credentials, (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    ),
  );
  const client = openChannel(`localhost:${port}`, { authority: gateway.authority.certificate });
  await expect(unaryCall(client, token, {})).rejects.toMatchObject({
    code: status.INTERNAL,
  });
  client.close();
  hostile.forceShutdown();
});
