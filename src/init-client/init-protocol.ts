import { type Frame, FrameType } from '../wire/frames.ts';
import { isConnectionFrame } from './connection-frame.ts';
import { lastCause, operandCause } from './init-end.ts';
import { InitFault } from './init-fault.ts';

/** The version of the table in `docs/protocol.md`. */
const version = 5;
/** A ready-made buffer of the init, with its frames of operands, holds less. */
export const maxInitFrameBytes = 128 * 1024;
/** Most stdin that an init has granted and that its tool has not read. */
export const stdinWindow = 256 * 1024;
const longestRefusal = 2048;
const mostOperands = 8;
const mostSignal = 64;

/**
 * What an init has said, and so what it may say next:
 * `silent` → `ready` → (the plan) → `running` → `serving` → `settling` → `settled` → `over`; or, with an inspection,
 * (the plan) → `inspecting` → `over`. It may refuse before it has served anything.
 */
type State =
  | 'silent'
  | 'ready'
  | 'planned'
  | 'inspecting'
  | 'running'
  | 'serving'
  | 'settling'
  | 'settled'
  | 'over';

const whileServing: ReadonlySet<State> = new Set(['running', 'serving']);

/** In which states a frame may come. What is not named never comes. */
const mayCome: ReadonlyMap<number, ReadonlySet<State>> = new Map<number, ReadonlySet<State>>([
  [FrameType.ready, new Set<State>(['silent'])],
  [FrameType.started, new Set<State>(['planned'])],
  [FrameType.operands, new Set<State>(['inspecting'])],
  [FrameType.refused, new Set<State>(['planned', 'inspecting', 'running'])],
  [FrameType.stdout, whileServing],
  [FrameType.stderr, whileServing],
  [FrameType.credit, whileServing],
  [FrameType.closed, whileServing],
  [FrameType.stopped, whileServing],
  [FrameType.opened, whileServing],
  [FrameType.carried, whileServing],
  [FrameType.finished, whileServing],
  [FrameType.room, whileServing],
  [FrameType.gone, whileServing],
  [FrameType.unread, new Set<State>([...whileServing, 'settling'])],
  [FrameType.exit, new Set<State>(['settled'])],
]);

/** The state after a frame that was allowed. */
const after: ReadonlyMap<number, State> = new Map<number, State>([
  [FrameType.ready, 'ready'],
  [FrameType.started, 'running'],
  [FrameType.operands, 'over'],
  [FrameType.refused, 'over'],
  [FrameType.unread, 'settled'],
  [FrameType.exit, 'over'],
]);

/** Holds one init to its protocol: each frame in its state, and of its form; what may come once comes once. */
export class InitProtocol {
  #state: State = 'silent';
  #sent = 0;
  #granted = 0;
  #closed = false;
  #operands = 0;

  /** The plan was sent. */
  planned(inspect: boolean, operands: number): void {
    this.#operands = operands;
    if (this.#state === 'ready') this.#state = inspect ? 'inspecting' : 'planned';
  }

  /** So much stdin was given to the init, now or for later. */
  fed(bytes: number): void {
    this.#sent += bytes;
  }

  /** Throws an `InitFault` if the init may not send this frame now. */
  take({ type, payload }: Frame): void {
    if (mayCome.get(type)?.has(this.#state) !== true) throw broke(`${nameOf(type)} ${this.#when()}`);
    if (!this.#isWhole(type, payload)) throw broke(`${nameOf(type)} of an impossible form`);
    this.#state = after.get(type) ?? this.#next(type, payload);
  }

  #next(type: number, payload: Buffer): State {
    // Told before the end, so that the sender of stdin knows exactly what was read.
    return type === FrameType.credit && payload.readUInt32BE(0) === 0 ? 'settling' : 'serving';
  }

  #isWhole(type: number, payload: Buffer): boolean {
    switch (type) {
      case FrameType.ready:
        return payload.length === 1 && payload[0] === version;
      case FrameType.stdout:
      case FrameType.stderr:
        return payload.length > 0;
      case FrameType.credit:
        return payload.length === 4 && this.#grants(payload.readUInt32BE(0));
      case FrameType.closed:
        return payload.length === 1 && payload[0] === 0 && this.#closes();
      case FrameType.stopped:
        return payload.length === 1 && isSignal(payload);
      case FrameType.unread:
        return payload.length === 4 && payload.readUInt32BE(0) <= this.#sent;
      case FrameType.opened:
      case FrameType.carried:
      case FrameType.finished:
      case FrameType.room:
      case FrameType.gone:
        return isConnectionFrame({ type, payload });
      case FrameType.refused:
        return payload.length <= longestRefusal;
      case FrameType.exit:
        return payload.length === 20 && this.#ends(payload);
      default:
        return isOperands(payload);
    }
  }

  /** No init grants more than its window beyond what it got. */
  #grants(bytes: number): boolean {
    this.#granted += bytes;
    return this.#granted <= this.#sent + stdinWindow;
  }

  #ends(payload: Buffer): boolean {
    const [signal, cause, operand] = [payload.readUInt8(1), payload.readUInt8(2), payload.readUInt8(19)];
    if (signal > mostSignal || cause > lastCause) return false;
    return cause !== operandCause || operand < this.#operands;
  }

  #closes(): boolean {
    const first = !this.#closed;
    this.#closed = true;
    return first;
  }

  #when(): string {
    if (this.#state === 'silent') return 'before ready';
    if (this.#state === 'ready') return 'before it got a plan';
    return this.#state === 'planned' || this.#state === 'inspecting'
      ? 'in answer to its plan'
      : 'once more or too late';
  }
}

function isSignal(payload: Buffer): boolean {
  const signal = payload.readUInt8(0);
  return signal >= 1 && signal <= mostSignal;
}

/** At most so many strings: `u32 length, bytes, NUL`, and nothing else. */
function isOperands(payload: Buffer): boolean {
  let at = 0;
  for (let count = 0; at < payload.length; count += 1) {
    if (count === mostOperands || at + 4 > payload.length) return false;
    at += 4 + payload.readUInt32BE(at) + 1;
  }
  return at === payload.length;
}

function broke(what: string): InitFault {
  return new InitFault('broke', `the init broke its protocol: ${what}`);
}

function nameOf(type: number): string {
  const known = Object.entries(FrameType).find(([, number]) => number === type);
  return known === undefined ? `a frame of type ${type}` : `a frame ${known[0]}`;
}
