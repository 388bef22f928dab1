import { status } from '@grpc/grpc-js';
import { expect, test } from 'vitest';
import type { FromCaller } from '../../gateway/ports/channel.ts';
import { relay, startTestGateway } from './gateway.ts';
import { gone, type Message, open, start } from './open-execute.ts';

const done = { kind: 'exited', code: 0, signal: 0 } as const;

test('P9: of what a relay found each file comes once, and no more than an init is told of', async () => {
  await using gateway = await startTestGateway({
    execute: async (_caller, _request, channel) => {
      void channel.send({ type: 'run-here', planHash: '', canonicalPlan: '{}' });
      await gone(channel);
      return done;
    },
  });
  const client = await gateway.connect(relay);
  const line = 'unseen: x';
  const names = [['x', 'x'], Array.from({ length: 9 }, (_each, at) => String(at))];
  for (const paths of names) {
    const call = open(client, start());
    await call.waitFor('runHere');
    const found = paths.map((path) => ({ path, line }));
    call.send({ $case: 'started', value: { host: '', container: 'c', found } });
    expect(await call.ended).toBe(status.INVALID_ARGUMENT);
  }
});

test('A-86: a relay says once that a mirror has started: each is a record', async () => {
  const seen: string[] = [];
  await using gateway = await startTestGateway({
    execute: async (_caller, _request, channel) => {
      channel.listen(({ type }) => seen.push(type));
      void channel.send({ type: 'run-here', planHash: '', canonicalPlan: '{}' });
      await gone(channel);
      return done;
    },
  });
  const call = open(await gateway.connect(relay), start());
  await call.waitFor('runHere');
  for (let count = 0; count < 1000; count += 1) call.send(mirrorStart);
  expect(await call.ended).toBe(status.INVALID_ARGUMENT);
  expect(seen).toEqual(['mirror-started']);
});

const mirrorEnd = (code: number, signal = 0, reason = ''): Message => ({
  $case: 'mirrorEnd',
  value: { code, signal, reason, text: '', usage: undefined },
});
const mirrorStart: Message = { $case: 'started', value: { host: '', container: 'c', found: [] } };
const mirrorOutput: Message = { $case: 'stdout', value: Buffer.from('x') };

test.each<[string, Message[], string[]]>([
  ['an exit without a start', [mirrorEnd(0)], []],
  ['an exit by a signal that no caller sends', [mirrorEnd(0, 9)], []],
  ['an exit with a code and a signal of the caller', [mirrorEnd(1, 2)], []],
  ['output before the start', [mirrorOutput], []],
  ['a start behind the end', [mirrorEnd(0, 0, 'host-lost'), mirrorStart], ['mirror-end failed']],
  [
    'output behind the end',
    [mirrorStart, mirrorEnd(0), mirrorOutput],
    ['mirror-started', 'mirror-end exited'],
  ],
  ['two ends', [mirrorStart, mirrorEnd(0), mirrorEnd(0)], ['mirror-started', 'mirror-end exited']],
])('A-142: %s of a mirrored command is no message of a relay', async (_what, lies, kept) => {
  const seen: string[] = [];
  const reasons: string[] = [];
  await using gateway = await startTestGateway({
    execute: async (_caller, _request, channel) => {
      channel.listen((input) =>
        seen.push(input.type === 'mirror-end' ? `mirror-end ${input.outcome.kind}` : input.type),
      );
      void channel.send({ type: 'run-here', planHash: '', canonicalPlan: '{}' });
      reasons.push((await gone(channel)).code);
      return done;
    },
  });
  const call = open(await gateway.connect(relay), start());
  await call.waitFor('runHere');
  for (const lie of lies) call.send(lie);
  expect(await call.ended).toBe(status.INVALID_ARGUMENT);
  expect(seen).toEqual(kept);
  await expect.poll(() => reasons).toEqual(['request-invalid']);
});

test.each<[string, Message, object]>([
  ['cannot start', mirrorEnd(0, 0, 'host-lost'), { kind: 'failed', reason: 'host-lost', text: '' }],
  ['is interrupted before its start', mirrorEnd(0, 2), { kind: 'interrupted', signal: 2 }],
])('a mirrored command that %s ends without one', async (_what, end, outcome) => {
  const seen: FromCaller[] = [];
  await using gateway = await startTestGateway({
    execute: async (_caller, _request, channel) => {
      void channel.send({ type: 'run-here', planHash: '', canonicalPlan: '{}' });
      await new Promise<void>((resolve) =>
        channel.listen((input) => {
          seen.push(input);
          resolve();
        }),
      );
      return done;
    },
  });
  const call = open(await gateway.connect(relay), start());
  await call.waitFor('runHere');
  call.send(end);
  expect(await call.ended).toBe(status.OK);
  expect(seen).toEqual([{ type: 'mirror-end', outcome, usage: undefined }]);
});
