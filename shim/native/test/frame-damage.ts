import type { Duplex } from 'node:stream';
import { encodeFrame, type Frame, FrameReader } from '../../../src/wire/frames.ts';
import type { Dice } from './random-tree.ts';

export const damages = ['drop', 'double', 'swap', 'flip', 'cut'] as const;
export type Damage = (typeof damages)[number];

interface Armed {
  readonly is: (frame: number, type: number) => boolean;
  readonly how: () => Damage;
  readonly dice: Dice;
}

/** Damages frames that come from a carrier. What comes is whole frames all the same: of others the gateway makes none. */
export class FrameDamage {
  /** That came since it was armed. */
  frames = 0;
  /** That were damaged. */
  done = 0;
  #armed: Armed | undefined;
  #held: Buffer | undefined;

  constructor(stream: Duplex) {
    const push = stream.push.bind(stream);
    const reader = new FrameReader();
    stream.push = (chunk: Buffer | null) => {
      if (chunk === null) return push(null);
      for (const frame of reader.push(chunk)) for (const each of this.#passed(frame)) push(each);
      return true;
    };
  }

  /** From now on; frames are counted from 0. */
  arm(is: Armed['is'], how: Armed['how'], dice: Dice): void {
    this.frames = 0;
    this.#armed = { is, how, dice };
  }

  #passed({ type, payload }: Frame): Buffer[] {
    const frame = encodeFrame(type, payload);
    const armed = this.#armed;
    const held = this.#held === undefined ? [] : [this.#held];
    this.#held = undefined;
    if (armed === undefined || !armed.is(this.frames++, type)) return [frame, ...held];
    this.done += 1;
    const how = armed.how();
    if (how !== 'swap') return [...damaged(how, frame, armed.dice), ...held];
    this.#held = frame;
    return held;
  }
}

function damaged(how: Exclude<Damage, 'swap'>, frame: Buffer, dice: Dice): Buffer[] {
  const [type = 0] = frame;
  const payload = Buffer.from(frame.subarray(5));
  if (how === 'drop') return [];
  if (how === 'double') return [frame, frame];
  if (how === 'cut') return [encodeFrame(type, payload.subarray(0, dice.below(payload.length || 1)))];
  const at = dice.below(payload.length || 1);
  if (payload.length > 0) payload[at] = (payload[at] ?? 0) ^ (1 << dice.below(8));
  return [encodeFrame(type, payload)];
}
