import type { Input } from '../wire/execution-io.ts';
import { encodeFrame, FrameType } from '../wire/frames.ts';
import { encodeInput } from './encode-input.ts';

export type ToInit = Input | { readonly type: 'cancel' };

/** Whatever is held, stdin is a few pieces and not one for each byte. */
const mostPieces = 64;

/**
 * What an init is sent while it does not read: of each control the newest, in the order of the newest, and stdin, which
 * credit bounds. However much comes, no more than that is kept.
 */
export class HeldFrames {
  readonly #controls = new Map<string, Buffer>();
  #stdin: Uint8Array[] = [];

  get isEmpty(): boolean {
    return this.#stdin.length === 0 && this.#controls.size === 0;
  }

  hold(input: ToInit): void {
    if (input.type === 'stdin') return this.#holdStdin(input.bytes);
    const kind = kindOf(input);
    this.#controls.delete(kind);
    this.#controls.set(kind, encodeToInit(input));
  }

  /** All of it, to be written now. */
  take(): Buffer[] {
    const stdin = this.#stdin.length === 0 ? [] : [encodeFrame(FrameType.stdin, Buffer.concat(this.#stdin))];
    const frames = [...stdin, ...this.#controls.values()];
    this.#stdin = [];
    this.#controls.clear();
    return frames;
  }

  #holdStdin(bytes: Uint8Array): void {
    this.#stdin.push(bytes);
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
