import type { Duplex } from 'node:stream';
import { type Frame, FrameType, frameHeaderBytes } from '../wire/frames.ts';
import { Connection, type Teller } from './connection.ts';
import { InitFault } from './init-fault.ts';

/**
 * Serves one connection of a tool; from here on it is its own. `isOfUser`: a way out of an agent says that its client is
 * of the agent's own user.
 */
export type Serve = (client: Duplex, isOfUser: boolean) => void;

/** Carried bytes wait until the stream drains, small frames do not: for one that is read much less waits. */
export const mostUnread = 256 * 1024;

export function doesNotRead(): InitFault {
  return new InitFault('broke', `the init takes no frames: more than ${mostUnread} bytes wait for it`);
}

/** The stream to the init. */
export interface ToInitStream {
  readonly write: (frame: Buffer) => void;
  /** Nothing more is to be written before it has drained. */
  readonly isFull: () => boolean;
}

interface Slot {
  readonly connection: Connection;
  /** Who has said that it is over; with both its number is free. */
  saidByInit: boolean;
  saidByUs: boolean;
}

/** The frames that are about connections. */
export const ofConnections: ReadonlySet<number> = new Set([
  FrameType.opened,
  FrameType.carried,
  FrameType.finished,
  FrameType.room,
  FrameType.gone,
]);

/** The connections of one init's tool. An init that breaks their rules gets an `InitFault`. */
export class Connections {
  readonly #stream: ToInitStream;
  readonly #serve: Serve;
  readonly #slots = new Map<number, Slot>();
  /** Those that have something to write, in turn. */
  readonly #waiting = new Set<Connection>();
  #isResuming = false;
  #isOver = false;

  constructor(stream: ToInitStream, serve: Serve) {
    this.#stream = stream;
    this.#serve = serve;
  }

  take({ type, payload }: Frame): void {
    const id = payload.readUInt8(0);
    const slot = this.#slots.get(id);
    if (type === FrameType.opened) {
      if (slot !== undefined) throw broke('a connection of a number that is taken');
      this.#open(id, payload[1] === 1);
    } else if (slot === undefined || slot.saidByInit || !this.#hear(slot, id, type, payload.subarray(1)))
      throw broke('a frame about a connection that may not come now');
  }

  /** The stream to the init has drained. */
  resume(): void {
    // One that goes on at once is visited again, after the others.
    if (this.#isResuming) return;
    this.#isResuming = true;
    for (const connection of this.#waiting) {
      if (this.#stream.isFull()) break;
      this.#waiting.delete(connection);
      if (connection.carryPiece()) this.#waiting.add(connection);
    }
    this.#isResuming = false;
  }

  /** The tool has ended, or its init is lost. */
  close(): void {
    this.#isOver = true;
    for (const { connection } of this.#slots.values()) connection.destroy(new Error('its tool has ended'));
    this.#slots.clear();
    this.#waiting.clear();
  }

  #open(id: number, isOfUser: boolean): void {
    const connection = new Connection(this.#teller(id));
    this.#slots.set(id, { connection, saidByInit: false, saidByUs: false });
    this.#serve(connection, isOfUser);
  }

  #hear(slot: Slot, id: number, type: number, rest: Buffer): boolean {
    const { connection } = slot;
    // What was on its way when it ended here.
    const isDeaf = slot.saidByUs;
    switch (type) {
      case FrameType.carried:
        return isDeaf || connection.came(rest);
      case FrameType.finished:
        return isDeaf || connection.finished();
      case FrameType.room:
        return isDeaf || connection.credited(rest.readUInt32BE(0));
      default:
        slot.saidByInit = true;
        connection.gone();
        this.#free(id, slot);
        return true;
    }
  }

  #teller(id: number): Teller {
    const say = (type: number, payload: Uint8Array = new Uint8Array()) => {
      if (!this.#isOver) this.#stream.write(frameOf(type, id, payload));
    };
    const slotOf = () => this.#slots.get(id);
    return {
      carry: (bytes) => say(FrameType.carried, bytes),
      room: (bytes) => say(FrameType.room, numberOf(bytes)),
      finish: () => say(FrameType.finished),
      gone: () => {
        say(FrameType.gone);
        const slot = slotOf();
        if (slot === undefined) return;
        slot.saidByUs = true;
        this.#waiting.delete(slot.connection);
        this.#free(id, slot);
      },
      waits: () => {
        const slot = slotOf();
        if (slot === undefined) return;
        this.#waiting.add(slot.connection);
        this.resume();
      },
    };
  }

  #free(id: number, { saidByInit, saidByUs }: Slot): void {
    if (saidByInit && saidByUs) this.#slots.delete(id);
  }
}

/** In one copy: most of them are a download. */
function frameOf(type: number, id: number, payload: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(frameHeaderBytes + 1 + payload.length);
  frame.writeUInt8(type, 0);
  frame.writeUInt32BE(1 + payload.length, 1);
  frame.writeUInt8(id, frameHeaderBytes);
  frame.set(payload, frameHeaderBytes + 1);
  return frame;
}

function numberOf(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function broke(what: string): InitFault {
  return new InitFault('broke', `the init broke its protocol: ${what}`);
}
