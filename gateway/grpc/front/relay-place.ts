import { onAbort } from '../../../src/abort.ts';

export interface RelayPlaceOptions {
  /** From the connection to its Synchronize stream; calls before that wait half as long. */
  readonly synchronizeMs: number;
  /** Ends the connection with every call on it. */
  readonly end: () => void;
  /** Whether the relay synchronizes over another connection that does not belong to this place. */
  readonly isElsewhere: () => boolean;
  /** The connection is used, but does not synchronize. */
  readonly onAdrift: () => void;
}

/**
 * One connection of a relay. Its calls are answered only while it stands: while it synchronizes, which it does once,
 * or while the connection to which it was renewed does. So the kill switch asks every place that holds work.
 */
export class RelayPlace {
  /** Fingerprint of the certificate that the peer at its other end got. */
  renewedTo: string | undefined;
  readonly #options: RelayPlaceOptions;
  readonly #since = performance.now();
  readonly #waiting = new Set<() => void>();
  #state: 'new' | 'synchronizing' | 'over' = 'new';
  #handedOver: AbortSignal | undefined;
  #told = false;

  constructor(options: RelayPlaceOptions) {
    this.#options = options;
  }

  /** Its stream is open; false if it had one already. */
  begin(): boolean {
    if (this.#state !== 'new') return false;
    this.#state = 'synchronizing';
    for (const go of this.#waiting) go();
    return true;
  }

  /** Another stream of the same relay has replaced it, or wants to: its connection is ended within a second. */
  displaced(): void {
    this.#state = 'over';
  }

  /** The relay has closed its stream: nobody could be asked about the work of this connection. */
  left(): void {
    this.#state = 'over';
    this.#options.end();
  }

  /** Until `over` aborts, another connection synchronizes for this one, too. */
  handOver(over: AbortSignal): void {
    this.#state = 'over';
    this.#handedOver = over;
  }

  stands(): boolean {
    return this.#state === 'synchronizing' || this.#handedOver?.aborted === false;
  }

  /** Resolves with whether it stands, at once or in time; at once if `gone` aborts. */
  async untilItStands(gone: AbortSignal): Promise<boolean> {
    if (this.#state !== 'new') return this.stands();
    if (this.#options.isElsewhere()) this.#adrift();
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, this.#options.synchronizeMs / 2);
    this.#waiting.add(resolve);
    using _ = onAbort(gone, resolve);
    await promise;
    clearTimeout(timer);
    this.#waiting.delete(resolve);
    if (!this.stands() && !gone.aborted) this.#adrift();
    return this.stands();
  }

  /** Why its connection must not continue. */
  problem(): string | undefined {
    if (this.stands()) return undefined;
    if (this.#handedOver !== undefined) return 'the connection that it was renewed over to has ended';
    if (this.#state === 'over') return 'its relay does not synchronize over it any more';
    const { synchronizeMs } = this.#options;
    if (performance.now() - this.#since < synchronizeMs) return undefined;
    this.#adrift();
    return `its relay did not synchronize within ${synchronizeMs / 1000} s`;
  }

  /** Call it once for each connection. */
  #adrift(): void {
    if (this.#told) return;
    this.#told = true;
    this.#options.onAdrift();
  }
}
