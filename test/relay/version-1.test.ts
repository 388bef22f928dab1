import { expect, test } from 'vitest';
import type { FromCaller } from '../../gateway/ports/channel.ts';
import type { ClawrdenError } from '../../src/errors.ts';
import { failure, type Outcome } from '../../src/outcome.ts';
import { FrameType } from '../../src/wire/frames.ts';
import { version1 } from './requests.ts';
import { accepted, collect, pending, untilGone } from './scripted.ts';
import { startRelay, user } from './start-relay.ts';

const denied = failure('denied-by-rule', 'no\nway');
const bytes = (text: string) => Buffer.from(text);
const uint32 = (value: number) => {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32BE(value);
  return buffer;
};

test('an allowed command: its output in order, unread, its exit code', async () => {
  await using relay = await startRelay({
    execute: async (_caller, request, channel) => {
      expect(request).toMatchObject({ agent: 'coder', identity: user });
      expect(request.command).toMatchObject({
        tool: 'ls',
        args: ['-la'],
        cwd: '/app',
        umask: 18,
        version: 1,
      });
      void channel.send(accepted);
      void channel.send({ type: 'stdout', bytes: bytes('one ') });
      void channel.send({ type: 'stderr', bytes: bytes('two') });
      void channel.send({ type: 'stdout', bytes: bytes('three') });
      return { kind: 'exited', code: 42, signal: 0 };
    },
  });
  const shim = relay.shim().request(version1);
  await shim.closed;
  expect(shim.acks).toEqual([0]);
  expect(shim.frames.map(({ type }) => type)).toEqual([1, 2, 1, FrameType.unread, FrameType.exit]);
  expect(shim.output(1)).toBe('one three');
  expect(shim.exit).toEqual([42, 0]);
});

test('a refusal is ack 1, one line and the exit frame', async () => {
  await using relay = await startRelay({ execute: async () => denied });
  const shim = relay.shim().request(version1);
  await shim.closed;
  expect(shim.acks).toEqual([1]);
  expect(shim.frames.map(({ type }) => type)).toEqual([2, 3]);
  expect(shim.output(2)).toBe('clawrden: denied-by-rule: no\\nway\n');
  expect(shim.exit).toEqual([1, 0]);
});

test('a failure before the answer is ack 0, a line, unread and the exit frame', async () => {
  await using relay = await startRelay({ execute: async () => failure('no-host', 'none') });
  const shim = relay.shim().request(version1);
  await shim.closed;
  expect(shim.acks).toEqual([0]);
  expect(shim.output(2)).toBe('clawrden: no-host: none\n');
  expect(shim.frames.map(({ type }) => type)).toEqual([2, FrameType.unread, FrameType.exit]);
  expect(shim.exit).toEqual([125, 0]);
});

test('death by a signal, and an interrupt before the start, are signals', async () => {
  const outcomes: Outcome[] = [
    { kind: 'exited', code: 0, signal: 9 },
    { kind: 'interrupted', signal: 2 },
  ];
  await using relay = await startRelay({ execute: async () => outcomes.shift() ?? denied });
  const first = relay.shim().request(version1);
  await first.closed;
  const second = relay.shim().request(version1);
  await second.closed;
  expect([first.exit, second.exit]).toEqual([
    [0, 9],
    [0, 2],
  ]);
  expect(first.output(2) + second.output(2)).toBe('');
});

test('pending, a notice, then allowed', async () => {
  await using relay = await startRelay({
    execute: async (_caller, _request, channel) => {
      void channel.send({ type: 'notice', text: 'pulling' });
      void channel.send(pending);
      void channel.send(pending);
      void channel.send({ type: 'stdout', bytes: bytes('not before the answer') });
      void channel.send({ type: 'notice', text: 'waiting' });
      void channel.send(accepted);
      void channel.send({ type: 'stopped', signal: 20 });
      void channel.send({ type: 'closed', fd: 0 });
      void channel.send({ type: 'credit', bytes: 0 });
      void channel.send({ type: 'unread', bytes: 7 });
      return { kind: 'exited', code: 0, signal: 0 };
    },
  });
  const shim = relay.shim().request(version1);
  await shim.closed;
  expect(shim.acks).toEqual([2, 0]);
  expect(shim.frames.map(({ type, payload }) => [type, payload.toString('latin1')])).toEqual([
    [FrameType.notice, 'pulling'],
    [FrameType.notice, 'waiting for approval a'],
    [FrameType.notice, 'waiting'],
    [FrameType.stopped, '\x14'],
    [FrameType.closed, '\0'],
    [FrameType.credit, '\0\0\0\0'],
    [FrameType.unread, '\0\0\0\x07'],
    [FrameType.exit, '\0\0'],
  ]);
});

test('pending, then denied', async () => {
  await using relay = await startRelay({
    execute: async (_caller, _request, channel) => {
      void channel.send(pending);
      return failure('denied-by-person', 'no');
    },
  });
  const shim = relay.shim().request(version1);
  await shim.closed;
  expect(shim.acks).toEqual([2, 1]);
  expect(shim.exit).toEqual([1, 0]);
});

test('run the original: ack 3, and the end of the stream is no cancel', async () => {
  let gone = false;
  await using relay = await startRelay({
    execute: async (_caller, _request, channel) => {
      void channel.send({ type: 'run-original', planHash: 'x' });
      channel.gone.addEventListener('abort', () => (gone = true));
      await new Promise((resolve) => setTimeout(resolve, 100));
      return { kind: 'started' };
    },
  });
  const shim = relay.shim().request(version1);
  await shim.closed;
  expect(shim.acks).toEqual([3]);
  expect(shim.frames).toEqual([]);
  await shim.until(() => relay.logged.some(({ msg }) => msg === 'ended'));
  expect(relay.logged.at(-1)).toMatchObject({ outcome: { kind: 'started' } });
  expect(gone).toBe(false);
});

test('signals, sizes, closed readers, stdin against credit and its end go up in order', async () => {
  const inputs: FromCaller[] = [];
  await using relay = await startRelay({ execute: collect(inputs, ({ type }) => type === 'stdin-end', 5) });
  const shim = relay.shim().request(version1);
  await shim.until(() => shim.frames.some(({ type }) => type === FrameType.credit));
  shim.frame(FrameType.signal, Uint8Array.of(2)).frame(FrameType.resize, Uint8Array.of(0, 80, 0, 24));
  shim.frame(FrameType.closed, Uint8Array.of(2));
  shim.frame(FrameType.stdin, bytes('abc')).frame(FrameType.stdin, bytes('de')).frame(FrameType.stdin);
  await shim.closed;
  expect(inputs).toEqual([
    { type: 'signal', signal: 2 },
    { type: 'resize', size: { cols: 80, rows: 24 } },
    { type: 'closed', fd: 2 },
    { type: 'stdin', bytes: bytes('abc') },
    { type: 'stdin', bytes: bytes('de') },
    { type: 'stdin-end' },
  ]);
  expect(shim.exit).toEqual([0, 0]);
});

test.each([
  ['more stdin than there was credit for', FrameType.stdin, bytes('abcdef')],
  ['a signal that may not be sent', FrameType.signal, Uint8Array.of(9)],
  ['a frame for the other direction', FrameType.exit, Uint8Array.of(0, 0)],
  ['a descriptor that has no reader', FrameType.closed, Uint8Array.of(0)],
  ['a frame cut short', FrameType.resize, Uint8Array.of(0)],
  ['an unknown frame', 99, bytes('')],
])('%s drops the connection and ends the command', async (_what, type, payload) => {
  let ended: ClawrdenError | undefined;
  await using relay = await startRelay({
    execute: async (_caller, _request, channel) => {
      void channel.send(accepted);
      void channel.send({ type: 'credit', bytes: 5 });
      const outcome = await untilGone(channel);
      ended = channel.gone.reason as ClawrdenError;
      return outcome;
    },
  });
  const shim = relay.shim().request(version1);
  await shim.until(() => shim.frames.length > 0);
  shim.frame(type, payload);
  await shim.closed;
  expect(shim.exit).toBeUndefined();
  await shim.until(() => ended !== undefined);
});

test('A-422: a frame that announces more than may ever be granted drops the connection from its header alone', async () => {
  await using relay = await startRelay({ execute: (_caller, _request, channel) => untilGone(channel) });
  const shim = relay.shim().request(version1);
  shim.socket.write(Buffer.concat([Uint8Array.of(5), uint32(256 * 1024 + 1)]));
  await shim.closed;
  expect(shim.frames).toEqual([]);
});

test('cancel: the gateway learns that it was asked for, and the shim how it ended', async () => {
  await using relay = await startRelay({
    execute: async (_caller, _request, channel) => {
      void channel.send(accepted);
      return await untilGone(channel);
    },
  });
  const shim = relay.shim().request(version1);
  await shim.until(() => shim.acks.length > 0);
  shim.frame(FrameType.cancel);
  await shim.closed;
  expect(shim.output(2)).toBe('clawrden: canceled: canceled by the caller\n');
  expect(shim.exit).toEqual([125, 0]);
});

test('A-45 a shim that hangs up while a person is asked: the requester is gone', async () => {
  let reason: ClawrdenError | undefined;
  await using relay = await startRelay({
    execute: async (_caller, _request, channel) => {
      void channel.send(pending);
      const outcome = await untilGone(channel);
      reason = channel.gone.reason as ClawrdenError;
      return outcome;
    },
  });
  const shim = relay.shim().request(version1);
  await shim.until(() => shim.acks.length > 0);
  shim.socket.destroy();
  await shim.until(() => reason !== undefined);
  expect(reason).toMatchObject({ code: 'requester-gone' });
});
