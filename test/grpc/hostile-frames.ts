import fc from 'fast-check';
import { callFields, frameTypes, goaway, headerBlock, rawFrame, u16, u32 } from './raw-http2.ts';

/** A peer that follows no rule; a seed decides what it does. */
export interface Hostility {
  /** How far it behaves well before: nothing, the preface, its settings, a call that is open, half closed, done. */
  readonly after: 'nothing' | 'preface' | 'settings' | 'open call' | 'half-closed call' | 'call';
  readonly bytes: readonly Buffer[];
  /** What it then does with its connection. */
  readonly atLast: 'hold' | 'freeze' | 'half-close' | 'reset';
}

const { data, headers, priority, rstStream, pushPromise, ping, windowUpdate, continuation } = frameTypes;
const settingsType = frameTypes.settings;

const streamId = fc.oneof(fc.constantFrom(0, 1, 2, 3, 5, 7, 0x7fffffff, 0x80000001), fc.nat(0xffffffff));
const flags = fc.oneof(fc.constantFrom(0, 1, 4, 5, 8, 0x20, 0x2d, 0xff), fc.nat(255));
const junk = fc.oneof(
  fc.uint8Array({ maxLength: 40 }),
  fc.constantFrom(new Uint8Array(0), new Uint8Array(16_384), new Uint8Array(20_000).fill(0xff)),
);
const number32 = fc.oneof(fc.constantFrom(0, 1, 0x7fffffff, 0x80000000, 0xffffffff), fc.nat(0xffffffff));
const setting = fc.tuple(fc.oneof(fc.integer({ min: 0, max: 9 }), fc.nat(0xffff)), number32);
const path = fc.constantFrom(
  '/clawrden.v1.RelayService/Token',
  '/clawrden.v1.RelayService/Enroll',
  '/clawrden.v1.RelayService/Synchronize',
  '/clawrden.v1.ExecutionService/Execute',
  '/grpc.health.v1.Health/Watch',
  '/x',
  '',
);
const field = fc.tuple(
  fc.constantFrom(
    ':method',
    ':path',
    'authorization',
    'grpc-timeout',
    'grpc-encoding',
    'content-type',
    'x-bin',
    'A',
    '',
  ),
  fc.oneof(fc.constantFrom('Bearer x', '1n', '99999999H', 'gzip', '0', '\0', 'x'.repeat(9000)), fc.string()),
);
const block = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .tuple(path, fc.array(field, { maxLength: 4 }))
      .map(([to, more]) => headerBlock(callFields(to, ...more))),
  },
  { weight: 1, arbitrary: fc.array(field, { maxLength: 100 }).map(headerBlock) },
  { weight: 1, arbitrary: junk },
);
/** A payload that looks roughly right for its type. */
const fitting: Record<number, fc.Arbitrary<Uint8Array>> = {
  [data]: fc.oneof(
    junk,
    fc.constantFrom(
      Buffer.alloc(5),
      Buffer.from([1, 0, 0, 0, 9, 1, 2]),
      Buffer.from([0, 255, 255, 255, 255]),
    ),
  ),
  [headers]: block,
  [priority]: fc
    .tuple(number32, fc.nat(255))
    .map(([on, weight]) => Buffer.concat([u32(on), Buffer.from([weight])])),
  [rstStream]: number32.map(u32),
  [settingsType]: fc
    .array(setting, { maxLength: 40 })
    .map((all) => Buffer.concat(all.map(([id, value]) => Buffer.concat([u16(id), u32(value)])))),
  [pushPromise]: fc.tuple(number32, block).map(([id, rest]) => Buffer.concat([u32(id), rest])),
  [ping]: fc.uint8Array({ minLength: 8, maxLength: 8 }),
  [windowUpdate]: number32.map(u32),
  [continuation]: block,
};

const type = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(0, 1, 2, 3, 4, 5, 6, 8, 9) },
  { weight: 1, arbitrary: fc.nat(255) },
);
const one = type.chain((kind) =>
  fc
    .record({
      flags,
      stream: streamId,
      payload: fc.oneof({ weight: 4, arbitrary: fitting[kind] ?? junk }, { weight: 1, arbitrary: junk }),
      length: fc.option(fc.oneof(fc.nat(0xffffff), fc.constant(0xffffff)), { nil: undefined, freq: 12 }),
    })
    .map(({ length, ...frame }) =>
      rawFrame({ type: kind, ...frame, ...(length !== undefined && { length }) }),
    ),
);
const bye = fc.tuple(fc.oneof(fc.nat(13), number32), number32).map(([code, last]) => goaway(code, last));
const frames = fc.oneof(
  { weight: 6, arbitrary: one },
  { weight: 2, arbitrary: bye },
  // A flood of the same.
  {
    weight: 1,
    arbitrary: fc.tuple(one, fc.constantFrom(50, 2000)).map(([frame, times]) => flood(frame, times)),
  },
  // Calls that are opened and reset.
  { weight: 1, arbitrary: fc.tuple(path, fc.constantFrom(20, 400)).map(([to, times]) => resets(to, times)) },
);

const maxFlood = 256 * 1024;

function flood(frame: Buffer, times: number): Buffer {
  const most = Math.max(1, Math.min(times, Math.floor(maxFlood / frame.length)));
  return Buffer.concat(Array.from({ length: most }, () => frame));
}

function resets(to: string, times: number): Buffer {
  const open = headerBlock(callFields(to));
  const pair = (stream: number) => [
    rawFrame({ type: headers, flags: 4, stream, payload: open }),
    rawFrame({ type: rstStream, stream, payload: u32(8) }),
  ];
  return Buffer.concat(Array.from({ length: times }, (_, n) => pair(101 + 2 * n)).flat());
}

export const hostility: fc.Arbitrary<Hostility> = fc.record({
  after: fc.constantFrom('nothing', 'preface', 'settings', 'open call', 'half-closed call', 'call'),
  bytes: fc.array(
    fc.oneof(
      { weight: 12, arbitrary: frames },
      { weight: 1, arbitrary: junk.map((part) => Buffer.from(part)) },
    ),
    {
      minLength: 1,
      maxLength: 6,
    },
  ),

  atLast: fc.constantFrom('hold', 'freeze', 'half-close', 'reset'),
});
