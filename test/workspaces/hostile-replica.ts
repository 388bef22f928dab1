/**
 * A carrier on a host that somebody took over, a replica's or home's: it speaks the protocol, and holds up what it can.
 * `node hostile-replica.ts HOW`, with frames on fd 0 and fd 1.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { CarrierFrame } from '../../src/carrier-client/carrier-frame.ts';
import { text, u8, u16, u32, u64 } from '../../src/carrier-client/payload.ts';
import { encodeFrame, FrameReader } from '../../src/wire/frames.ts';

export type HostileHow =
  /** Asked for its changes it says that it works, and nothing else. */
  | 'works'
  /** It sends them, one by one. */
  | 'trickles'
  /** It sends so many that the gateway hands them on, and then says that it works. */
  | 'works late'
  /** The same, and then it sends one by one. */
  | 'trickles late'
  /** It sends them without an end. */
  | 'does not end'
  /** It takes nothing of what home sends. */
  | 'takes nothing'
  /** Asked what it makes of what home sent, it says that it works. */
  | 'verifies'
  /** It says that it works whenever it is asked what it is. */
  | 'never settles'
  /** Its numbers cannot be. */
  | 'counts wrong'
  /** It sends entries without an end, and nothing is in them. */
  | 'empty entries'
  /** The same with chunks. */
  | 'empty chunks';

const how = (process.argv[2] ?? 'works') as HostileHow;
const isClean = how === 'takes nothing' || how === 'verifies';
const everyMs = 200;

async function send(type: number, ...payload: Buffer[]): Promise<void> {
  if (process.stdout.write(encodeFrame(type, Buffer.concat(payload)))) return;
  await new Promise((resolve) => process.stdout.once('drain', resolve));
}

let seq = 0;
let at = Buffer.alloc(16);

/** Another version at every ask. */
async function state(type: number): Promise<void> {
  const bytes = how === 'counts wrong' ? 2n ** 64n - 1n : 5n;
  seq += 1;
  await send(
    type,
    ...[u8(1), u8(0), u64(77), u64(seq), Buffer.alloc(32, seq), u64(isClean ? 1 : 5), u64(bytes), at],
    ...[u64(isClean ? 0 : seq), u16(0), u32(0), u16(0), u32(0), u16(0), u32(0), u64(0)],
  );
}

async function entry(name: string): Promise<void> {
  const [none, record] = [Buffer.alloc(32), [u32(0o755), u32(0), u32(0), u64(1), u64(0), u64(0)]];
  const names = [text(name), text(''), u32(0), u32(0)];
  await send(CarrierFrame.entry, u8(1), u8(0), u8(2), ...record, none, u8(0), none, ...names);
}

async function forever(say: (number: number) => Promise<void>): Promise<never> {
  for (let number = 0; ; number++) {
    await say(number);
    await sleep(everyMs);
  }
}

const works = () => forever(() => send(CarrierFrame.working));

/** As many as a message of a lane has room for. */
async function empty(type: number): Promise<never> {
  const frames = Buffer.concat(Array.from({ length: 13_000 }, () => encodeFrame(type)));
  for (;;)
    if (!process.stdout.write(frames)) await new Promise((resolve) => process.stdout.once('drain', resolve));
}

async function changes(): Promise<void> {
  if (how === 'empty entries') await empty(CarrierFrame.entry);
  if (how === 'empty chunks') await empty(CarrierFrame.chunk);
  if (how === 'works') await works();
  if (how === 'trickles') await forever((number) => entry(`few${number}`));
  for (let number = 0; how === 'does not end' || number < 12_000; number++) await entry(`many${number}`);
  if (how === 'trickles late') await forever((number) => entry(`few${number}`));
  await works();
}

async function answer(type: number, payload: Buffer): Promise<void> {
  if (type === CarrierFrame.hello) return state(CarrierFrame.ready);
  if (type === CarrierFrame.begin) at = Buffer.from(payload.subarray(1, 17));
  if (type === CarrierFrame.begin && how === 'takes nothing') await works();
  if (type === CarrierFrame.verify) await works();
  if (type === CarrierFrame.changes) await changes();
  if (type === CarrierFrame.settle && how === 'never settles') await works();
  if (type === CarrierFrame.settle || type === CarrierFrame.abort) await state(CarrierFrame.state);
}

async function main(): Promise<void> {
  const reader = new FrameReader();
  for await (const chunk of process.stdin)
    for (const { type, payload } of reader.push(chunk as Buffer)) await answer(type, payload);
}

// The gateway has cut it.
process.stdout.on('error', () => process.exit());
if (import.meta.main) await main();
