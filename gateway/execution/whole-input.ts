import { constants } from 'node:os';
import type { Send } from '../../src/wire/execution-io.ts';
import type { Channel, FromCaller, ToCaller } from '../ports/channel.ts';

/** The caller's end of an execution whose input is all there from the beginning; its output goes to `take`. */
export class WholeInput implements Channel {
  readonly gone: AbortSignal;
  readonly keeps: boolean;
  readonly #take: Send<ToCaller>;
  readonly #early: FromCaller[] = [];
  #handler: ((input: FromCaller) => void) | undefined;
  #input: Uint8Array | undefined;

  /** `input`: undefined if the command was sent without any. */
  constructor(gone: AbortSignal, input: Uint8Array | undefined, take: Send<ToCaller>, keeps = false) {
    this.gone = gone;
    this.keeps = keeps;
    this.#input = input;
    this.#take = take;
  }

  send = (item: ToCaller): Promise<void> | undefined => {
    if (item.type === 'credit') this.#feed(item.bytes);
    // No process reads it any more.
    if (item.type === 'closed') this.#input = undefined;
    // There is no terminal from which somebody could continue it.
    if (item.type === 'stopped') this.#tell({ type: 'signal', signal: constants.signals.SIGCONT });
    return this.#take(item);
  };

  listen = (handler: (input: FromCaller) => void): void => {
    this.#handler = handler;
    for (const input of this.#early.splice(0)) handler(input);
  };

  #feed(credit: number): void {
    if (this.#input === undefined) return;
    const bytes = this.#input.subarray(0, credit);
    this.#input = this.#input.subarray(bytes.length);
    if (bytes.length > 0) this.#tell({ type: 'stdin', bytes });
    if (this.#input.length > 0) return;
    this.#input = undefined;
    this.#tell({ type: 'stdin-end' });
  }

  /** Later, because the one who sends does not expect an answer meanwhile. */
  #tell(input: FromCaller): void {
    queueMicrotask(() => {
      if (this.#handler === undefined) this.#early.push(input);
      else this.#handler(input);
    });
  }
}
