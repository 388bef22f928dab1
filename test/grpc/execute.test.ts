import { once } from 'node:events';
import { status } from '@grpc/grpc-js';
import { expect, test } from 'vitest';
import type { FromCaller } from '../../gateway/ports/channel.ts';
import { newExecutionId } from '../../src/execution-id.ts';
import type { ExecuteResponse, Start } from '../../src/gen/clawrden/v1/execution.ts';
import { admin, relay, startTestGateway } from './gateway.ts';
import { gone, type Message, open, start } from './open-execute.ts';

const done = { kind: 'exited', code: 0, signal: 0 } as const;

test("a caller's start reaches the core as it was sent, with the caller from the certificate", async () => {
  const seen: unknown[] = [];
  await using gateway = await startTestGateway({
    execute: async (caller, request) => {
      seen.push(caller, request);
      return { kind: 'exited', code: 3, signal: 0 };
    },
  });
  const client = await gateway.connect(relay);
  const message = start({ identity: { uid: 1000, gid: 1000 }, hostLabels: [{ key: 'zone', value: 'a' }] });
  const { answers, ended } = open(client, message);
  expect(await ended).toBe(status.OK);
  expect(answers).toEqual([
    { $case: 'outcome', value: { kind: 1, code: 3, signal: 0, reason: '', text: '' } },
  ]);
  expect(seen).toEqual([
    { kind: 'relay', name: 'host-7', role: 'relay', scope: {} },
    {
      executionId: (message.value as Start).executionId,
      agent: 'coder',
      identity: { uid: 1000, gid: 1000 },
      // Only an orchestrator may give labels.
      hostLabels: {},
      command: {
        tool: 'ls',
        args: ['-la'],
        cwd: '/app',
        env: ['LANG=C'],
        umask: 0o22,
        stdio: ['pipe', 'pipe', '=1'],
        ignored: [],
        blocked: [],
        version: 1,
      },
    },
  ]);
});

test('A-13: an orchestrator attests to no identity and refuses nothing', async () => {
  const seen: object[] = [];
  await using gateway = await startTestGateway({
    execute: async (_caller, request) => {
      seen.push(request);
      return done;
    },
  });
  const client = await gateway.connect(admin);
  const claims = {
    identity: { uid: 0, gid: 0 },
    refusal: { reason: 'internal', text: '' },
    hostLabels: [{ key: 'zone', value: 'a' }],
  };
  expect(await open(client, start(claims)).ended).toBe(status.OK);
  expect(seen[0]).not.toHaveProperty('identity');
  expect(seen[0]).not.toHaveProperty('refusal');
  expect(seen[0]).toHaveProperty('hostLabels', { zone: 'a' });
});

test('what is sent before the execution listens is kept in order, and outputs keep theirs', async () => {
  const inputs: FromCaller[] = [];
  await using gateway = await startTestGateway({
    execute: async (_caller, _request, channel) => {
      await new Promise((resolve) => setTimeout(resolve, 100));
      channel.listen((input) => inputs.push(input));
      void channel.send({ type: 'accepted', planHash: 'h' });
      void channel.send({ type: 'credit', bytes: 5 });
      void channel.send({ type: 'started', host: 'a', container: 'c' });
      while (inputs.length < 5) await new Promise((resolve) => setTimeout(resolve, 10));
      void channel.send({ type: 'stdout', bytes: Buffer.from('out') });
      void channel.send({ type: 'stderr', bytes: Buffer.from('err') });
      void channel.send({ type: 'closed', fd: 0 });
      void channel.send({ type: 'stopped', signal: 20 });
      void channel.send({ type: 'unread', bytes: 2 });
      void channel.send({ type: 'notice', text: 'n' });
      return { kind: 'failed', reason: 'host-lost', text: 'gone' };
    },
  });
  const call = open(
    await gateway.connect(relay),
    start(),
    { $case: 'signal', value: 2 },
    { $case: 'resize', value: { cols: 80, rows: 24 } },
    { $case: 'closed', value: 1 },
  );
  await call.waitFor('credit');
  call.send({ $case: 'stdin', value: Buffer.from('12345') });
  call.send({ $case: 'stdinEnd', value: {} });
  expect(await call.ended).toBe(status.OK);
  expect(inputs.map(({ type }) => type)).toEqual(['signal', 'resize', 'closed', 'stdin', 'stdin-end']);
  const cases = call.answers.map(({ $case }) => $case);
  expect(cases.slice(0, 3)).toEqual(['accepted', 'credit', 'started']);
  expect(cases.slice(3)).toEqual(['stdout', 'stderr', 'closed', 'stopped', 'unread', 'notice', 'outcome']);
  expect(call.answers.at(-1)).toMatchObject({ value: { code: 125, reason: 'host-lost', text: 'gone' } });
});

test.each<[string, (call: ReturnType<typeof open>) => void, string]>([
  ['a cancel', ({ send }) => send({ $case: 'cancel', value: { requesterGone: false } }), 'canceled'],
  [
    'a requester who is gone',
    ({ send }) => send({ $case: 'cancel', value: { requesterGone: true } }),
    'requester-gone',
  ],
  ['a half-close', ({ stream }) => stream.end(), 'requester-gone'],
  ['a cancelled stream', ({ stream }) => stream.cancel(), 'requester-gone'],
])('%s ends the execution as %s', async (_what, act, reason) => {
  const { promise: ended, resolve } = Promise.withResolvers<string>();
  await using gateway = await startTestGateway({
    execute: async (_caller, _request, channel) => {
      void channel.send({ type: 'accepted', planHash: 'h' });
      resolve((await gone(channel)).code);
      return { kind: 'canceled', reason: 'canceled', text: '' };
    },
  });
  const call = open(await gateway.connect(relay), start());
  await call.waitFor('accepted');
  act(call);
  expect(await ended).toBe(reason);
  if (reason === 'canceled') {
    expect(await call.ended).toBe(status.OK);
    expect(call.answers.at(-1)).toMatchObject({ value: { code: 125, reason: 'canceled' } });
  }
});

test('stdin beyond the credit ends the call, and the execution', async () => {
  const { promise: ended, resolve } = Promise.withResolvers<string>();
  await using gateway = await startTestGateway({
    execute: async (_caller, _request, channel) => {
      channel.listen(() => {});
      void channel.send({ type: 'credit', bytes: 10 });
      resolve((await gone(channel)).code);
      return done;
    },
  });
  const call = open(await gateway.connect(relay), start());
  await call.waitFor('credit');
  call.send({ $case: 'stdin', value: Buffer.alloc(10) });
  call.send({ $case: 'stdin', value: Buffer.alloc(1) });
  expect(await call.ended).toBe(status.INVALID_ARGUMENT);
  expect(await ended).toBe('request-invalid');
  expect(call.answers.map(({ $case }) => $case)).toEqual(['credit']);
});

test.each<[string, Message[]]>([
  ['stdin first', [{ $case: 'stdin', value: Buffer.from('x') }]],
  ['two starts', [start(), start()]],
  ['a mirrored output that nobody asked for', [start(), { $case: 'stdout', value: Buffer.from('x') }]],
  [
    'an inspection that nobody asked for',
    [start(), { $case: 'inspected', value: { found: [], reason: '', text: '' } }],
  ],
  ['signal 9', [start(), { $case: 'signal', value: 9 }]],
  ['a third descriptor', [start(), { $case: 'closed', value: 3 }]],
  ['a terminal beyond all size', [start(), { $case: 'resize', value: { cols: 70_000, rows: 1 } }]],
  ['an invalid id', [start({ executionId: 'x' })]],
  ['no command', [start({ command: undefined })]],
])('%s is refused', async (_what, messages) => {
  await using gateway = await startTestGateway({
    execute: async (_caller, _request, channel) => {
      await gone(channel);
      return done;
    },
  });
  expect(await open(await gateway.connect(relay), ...messages).ended).toBe(status.INVALID_ARGUMENT);
});

test('a resume is answered void', async () => {
  await using gateway = await startTestGateway();
  const resume: Message = { $case: 'resume', value: { executionId: newExecutionId(), planHash: 'h' } };
  const { answers, ended } = open(await gateway.connect(relay), resume);
  expect(await ended).toBe(status.OK);
  expect(answers).toMatchObject([{ $case: 'outcome', value: { code: 125, reason: 'resume-void' } }]);
});

test('P22: a caller that does not read holds the tool back, within a bound', async () => {
  const chunk = Buffer.alloc(64 * 1024);
  let sent = 0;
  const { promise: stalled, resolve } = Promise.withResolvers<void>();
  await using gateway = await startTestGateway({
    execute: async (_caller, _request, channel) => {
      for (let chunks = 0; chunks < 1024; chunks += 1) {
        const wait = channel.send({ type: 'stdout', bytes: chunk });
        sent += chunk.length;
        if (wait === undefined) continue;
        const timer = setTimeout(resolve, 500);
        await wait;
        clearTimeout(timer);
      }
      return done;
    },
  });
  const stream = (await gateway.connect(relay)).execute();
  let received = 0;
  stream.on('data', ({ message }: ExecuteResponse) => {
    if (message?.$case !== 'stdout') return;
    if (received === 0) stream.pause();
    received += message.value.length;
  });
  stream.write({ message: start() });
  await stalled;
  // Window and stream buffers of the client, and the part that the gateway keeps for it.
  expect(sent).toBeLessThan(5 * 1024 * 1024);
  stream.resume();
  await once(stream, 'end');
  expect(received).toBe(1024 * chunk.length);
});
