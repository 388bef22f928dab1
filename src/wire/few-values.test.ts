import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ExecuteRequest, type Start } from '../gen/clawrden/v1/execution.ts';
import { decodeFew, Undecodable } from './few-values.ts';

const decode = (bytes: Buffer) => ExecuteRequest.decode(bytes);
/** Of field 15, which no message of `Execute` has. */
const unknown = { number: Buffer.from([0x78, 0]), bytes: Buffer.from([0x7a, 0]) };
const group = { start: Buffer.from([0x7b]), end: Buffer.from([0x7c]) };
const anEmptyArgument = Buffer.from([0x12, 0]);

function lengthOf(bytes: Buffer): Buffer {
  const digits: number[] = [];
  for (let rest = bytes.length; ; rest >>>= 7) {
    if (rest < 128) return Buffer.from([...digits, rest]);
    digits.push((rest & 127) | 128);
  }
}

/** A field of this number that holds bytes, or a message. */
const field = (number: number, bytes: Buffer) =>
  Buffer.concat([Buffer.from([(number << 3) | 2]), lengthOf(bytes), bytes]);
const times = (count: number, bytes: Buffer) => Buffer.concat(Array<Buffer>(count).fill(bytes));
const inCommand = (bytes: Buffer) => field(1, field(3, bytes));

function start(args: string[], env: string[]): Start {
  return {
    ...{ executionId: 'id', agent: 'coder', hostLabels: [], identity: { uid: 1000, gid: 1000 } },
    refusal: undefined,
    command: {
      ...{ tool: 'ls', args, cwd: '/app', env, umask: 0o22, stdio: ['pipe', 'pipe', '=1'] },
      ...{ ignored: [1, 13], blocked: [15], terminal: { cols: 80, rows: 24 }, version: 1 },
    },
  };
}

test('A-421: what is within the bound is what generated code makes of it, and every value counts', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), fc.array(fc.string()), (args, env) => {
      const message: ExecuteRequest = { message: { $case: 'start', value: start(args, env) } };
      const bytes = Buffer.from(ExecuteRequest.encode(message).finish());
      const decoded = decodeFew(bytes, 1000, decode);
      expect(decoded.message).toEqual(message);
      expect(decoded.values).toBeGreaterThanOrEqual(args.length + env.length);
      expect(decoded.values).toBeLessThan(args.length + env.length + 30);
    }),
  );
});

// A number that nobody knows counts half.
test.each([
  ['bytes that nobody knows', times(1000, unknown.bytes)],
  ['numbers that nobody knows', times(2000, unknown.number)],
  ['arguments without a letter', inCommand(times(1000, anEmptyArgument))],
  ['bytes that nobody knows, in a message in a message', inCommand(times(1000, unknown.bytes))],
  ['messages of which the last counts', times(1000, field(1, Buffer.alloc(0)))],
  ['numbers in a row', inCommand(field(7, Buffer.alloc(3000, 1)))],
  ['a group', Buffer.concat([group.start, times(1000, unknown.bytes), group.end])],
  ['groups in each other', times(50, Buffer.concat([times(20, group.start), times(20, group.end)]))],
])('A-421 P20: %s: what is over the bound is not decoded', (_what, bytes) => {
  expect(() => decodeFew(bytes, 900, decode)).toThrow(Undecodable);
  expect(() => decodeFew(bytes, 900, decode)).toThrow('a message of more than 900 values');
  expect(() => decodeFew(bytes, 3000, decode)).not.toThrow();
});

test('A-471 P20: a message that is broken behind many values tells how many were read', () => {
  const broken = inCommand(Buffer.concat([times(1000, anEmptyArgument), Buffer.from([0x12, 100])]));
  const read = () => decodeFew(broken, 3000, decode);
  expect(read).toThrow('a message that cannot be decoded');
  const { values } = thrownBy(read);
  expect(values).toBeGreaterThanOrEqual(1000);
  expect(values).toBeLessThan(1010);
});

function thrownBy(work: () => unknown): Undecodable {
  try {
    work();
  } catch (error) {
    return error as Undecodable;
  }
  throw new Error('nothing was thrown');
}
