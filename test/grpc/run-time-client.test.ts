import { once } from 'node:events';
import { status } from '@grpc/grpc-js';
import { expect, test } from 'vitest';
import { newExecutionId } from '../../src/execution-id.ts';
import { admin, startTestGateway, type TestGateway } from './gateway.ts';
import { next, openRunTimeSession } from './run-time-session.ts';

const connect = async (gateway: TestGateway) =>
  openRunTimeSession(gateway.address, await gateway.identity(admin));

const start = (tool: string) => ({
  start: { execution_id: newExecutionId(), command: { tool, cwd: '/', version: 1 } },
});

test('a client made from the .proto files runs a command, cancels one, and lists hosts', async () => {
  const labels = { zone: 'b' };
  const load = { slots: 8, running: 0, queued: 0 };
  const host = {
    name: 'a',
    state: 'ready',
    engine: 'unix:///x',
    labels,
    problem: '',
    warm: 0,
    ...load,
  } as const;
  await using gateway = await startTestGateway({
    warden: { hosts: () => [{ ...host, draining: false, workspaceBytes: 2 ** 40 }] },
    execute: async (_caller, { command }, channel) => {
      void channel.send({ type: 'accepted', planHash: 'h' });
      if (command.tool === 'sleep') await once(channel.gone, 'abort');
      if (channel.gone.aborted) return { kind: 'canceled', reason: 'canceled', text: 'by the caller' };
      void channel.send({ type: 'stdout', bytes: Buffer.from('hello\n') });
      return { kind: 'exited', code: 7, signal: 0 };
    },
  });
  using session = await connect(gateway);
  const { call, stream, metadata } = session;
  expect(await call('clawrden.v1.WardenService/ListHosts', {}, metadata)).toEqual({
    hosts: [{ ...host, workspace_bytes: `${2 ** 40}` }],
    next_page_token: '',
  });

  const run = stream('clawrden.v1.ExecutionService/Execute', metadata);
  const answers: object[] = [];
  run.on('data', (answer: object) => answers.push(answer));
  run.write(start('echo'));
  await once(run, 'end');
  expect(answers).toMatchObject([
    { message: 'accepted' },
    { message: 'stdout', stdout: Buffer.from('hello\n') },
    { message: 'outcome', outcome: { kind: 'OUTCOME_KIND_EXITED', code: 7, signal: 0 } },
  ]);

  const long = stream('clawrden.v1.ExecutionService/Execute', metadata);
  long.write(start('sleep'));
  expect(await next(long)).toMatchObject({ message: 'accepted' });
  long.write({ cancel: {} });
  expect(await next(long)).toMatchObject({
    outcome: { kind: 'OUTCOME_KIND_CANCELED', code: 125, reason: 'canceled' },
  });
});

test('health and reflection answer authenticated callers only', async () => {
  await using gateway = await startTestGateway();
  using session = await connect(gateway);
  const { call, stream, metadata } = session;
  const service = 'clawrden.v1.ExecutionService';
  const health = 'grpc.health.v1.Health/Check';
  expect(await call(health, { service }, metadata)).toEqual({ status: 'SERVING' });
  await expect(call(health, { service })).rejects.toMatchObject({ code: status.UNAUTHENTICATED });

  const reflection = 'grpc.reflection.v1.ServerReflection/ServerReflectionInfo';
  const known = stream(reflection, metadata);
  known.write({ list_services: '' });
  expect(await next(known)).toMatchObject({
    list_services_response: {
      service: ['ExecutionService', 'RelayService', 'WardenService'].map((name) => ({
        name: `clawrden.v1.${name}`,
      })),
    },
  });
  known.write({ file_containing_symbol: 'clawrden.v1.WardenService' });
  expect(await next(known)).toMatchObject({ message_response: 'file_descriptor_response' });
  known.end();
  const unknown = stream(reflection);
  unknown.resume();
  expect((await once(unknown, 'error'))[0]).toMatchObject({ code: status.UNAUTHENTICATED });
});
