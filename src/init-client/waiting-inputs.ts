import type { Input } from '../wire/execution-io.ts';
import { encodeFrame, FrameType } from '../wire/frames.ts';
import { encodeInput } from './encode-input.ts';

export type ToInit = Input | { readonly type: 'cancel' };

/** Stdin is kept as a few pieces, not as one for each byte. */
const mostPieces = 64;

/**
 * What the gateway keeps for an init that does not read: the newest of each control, in their order, and stdin, whose
 * bytes the caller bounds. It keeps no more than that, however many inputs come.
 */
export class WaitingInputs {
  readonly #controls = new Map<string, Buffer>();
  #stdin: Uint8Array[] = [];
  #stdinBytes = 0;

  get isEmpty(): boolean {
    return this.#stdin.length === 0 && this.#controls.size === 0;
  }

  get stdinBytes(): number {
    return this.#stdinBytes;
  }

  add(input: ToInit): void {
    if (input.type === 'stdin') return this.#addStdin(input.bytes);
    const kind = kindOf(input);
    this.#controls.delete(kind);
    this.#controls.set(kind, encodeToInit(input));
  }

  /** Returns everything, to be written now. */
  take(): Buffer[] {
    const stdin = this.#stdin.length === 0 ? [] : [encodeFrame(FrameType.stdin, Buffer.concat(this.#stdin))];
    const frames = [...stdin, ...this.#controls.values()];
    this.#stdin = [];
    this.#stdinBytes = 0;
    this.#controls.clear();
    return frames;
  }

  #addStdin(bytes: Uint8Array): void {
    this.#stdin.push(bytes);
    this.#stdinBytes += bytes.length;
    if (this.#stdin.length > mostPieces) this.#stdin = [Buffer.concat(this.#stdin)];
  }
}

export function encodeToInit(input: ToInit): Buffer {
  return input.type === 'cancel' ? encodeFrame(FrameType.cancel) : encodeInput(input);
}

function kindOf(input: Exclude<ToInit, { readonly type: 'stdin' }>): string {
  if (input.type === 'signal') return `signal ${input.signal}`;
  return input.type === 'closed' ? `closed ${input.fd}` : input.type;
}
