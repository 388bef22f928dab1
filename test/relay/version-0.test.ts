import { expect, test } from 'vitest';
import type { ClawrdenError } from '../../src/errors.ts';
import { failure } from '../../src/outcome.ts';
import { FrameType } from '../../src/wire/frames.ts';
import { version0 } from './requests.ts';
import { accepted, pending, untilGone } from './scripted.ts';
import { startRelay } from './start-relay.ts';

const denied = failure('denied-by-rule', 'no\nway');
const bytes = (text: string) => Buffer.from(text);

test('gets acks and frames 1 to 3 and nothing else', async () => {
  await using relay = await startRelay({
    execute: async (_caller, { command }, channel) => {
      expect(command).toMatchObject({ version: 0, stdio: ['null', 'pipe', 'pipe'] });
      void channel.send(pending);
      void channel.send({ type: 'notice', text: 'waiting' });
      void channel.send(accepted);
      void channel.send({ type: 'credit', bytes: 5 });
      void channel.send({ type: 'stopped', signal: 20 });
      void channel.send({ type: 'stdout', bytes: bytes('out') });
      void channel.send({ type: 'unread', bytes: 0 });
      return { kind: 'exited', code: 0, signal: 15 };
    },
  });
  const shim = relay.shim().request(version0);
  await shim.closed;
  expect(shim.acks).toEqual([2, 0]);
  expect(shim.frames.map(({ type }) => type)).toEqual([1, 3]);
  expect(shim.exit).toEqual([128 + 15]);
});

test('pending, then denied', async () => {
  await using relay = await startRelay({
    execute: async (_caller, _request, channel) => {
      void channel.send(pending);
      return denied;
    },
  });
  const shim = relay.shim().request(version0);
  await shim.closed;
  expect(shim.acks).toEqual([2, 1]);
});

test('a timeout follows ack 0 as a line and an exit code', async () => {
  await using relay = await startRelay({
    execute: async (_caller, _request, channel) => {
      void channel.send(accepted);
      return failure('run-timeout', 'too long');
    },
  });
  const shim = relay.shim().request(version0);
  await shim.closed;
  expect(shim.acks).toEqual([0]);
  expect(shim.output(2)).toBe('clawrden: run-timeout: too long\n');
  expect(shim.exit).toEqual([124]);
});

test('writes cancel and closes: the command is canceled', async () => {
  let reason: ClawrdenError | undefined;
  await using relay = await startRelay({
    execute: async (_caller, _request, channel) => {
      void channel.send(accepted);
      const outcome = await untilGone(channel);
      reason = channel.gone.reason as ClawrdenError;
      return outcome;
    },
  });
  const shim = relay.shim().request(version0);
  await shim.until(() => shim.acks.length > 0);
  shim.frame(FrameType.cancel);
  shim.socket.destroy();
  await shim.until(() => reason !== undefined);
  expect(reason).toMatchObject({ code: 'canceled' });
});

test('is never told to run the original', async () => {
  await using relay = await startRelay({
    execute: async (_caller, _request, channel) => {
      void channel.send({ type: 'run-original', planHash: 'x' });
      return { kind: 'started' };
    },
  });
  const shim = relay.shim().request(version0);
  await shim.closed;
  expect(shim.acks).toEqual([0]);
  expect(shim.exit).toEqual([125]);
});
