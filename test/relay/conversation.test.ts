import { expect, test } from 'vitest';
import type { Channel, StartRequest } from '../../gateway/channel.ts';
import { FrameType } from '../../src/frames.ts';
import { failure, type Outcome } from '../../src/outcome.ts';
import { startRelay, user } from './start-relay.ts';

const version0 = { command: 'ls', args: ['-la'], cwd: '/app', env: ['A=b'], identity: user };
const version1 = { v: 1, ...version0, umask: 18, stdio: ['pipe', 'pipe', 'pipe'], ignored: [] };
const accepted = { type: 'accepted', planHash: 'x' } as const;
const zero: Outcome = { kind: 'exited', code: 0, signal: 0 };
const bytes = (text: string) => Buffer.from(text);

test('version 1: an allowed command, its output in order and its exit code', async () => {
  await using relay = await startRelay({
    execute: async (_caller, request, channel) => {
      expect(request).toMatchObject({ agent: 'coder', identity: user, command: { tool: 'ls', version: 1 } });
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
