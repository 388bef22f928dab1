import { onAbort } from '../../../src/abort.ts';

export interface RelayPlaceOptions {
  /** From the connection to its Synchronize stream; calls that come before that wait for it half as long. */
  readonly synchronizeMs: number;
  /** Ends the connection with every call on it. */
  readonly end: () => void;
  /** Whether the relay synchronizes over another connection, which this one is not the renewed self of. */
  readonly isElsewhere: () => boolean;
  /** It is used and does not synchronize. */
  readonly onAdrift: () => void;
}

/**
 * One connection of a relay. Its calls are answered only while it stands: while it synchronizes, which it does once, or
 * while the connection that it was renewed over to does. So no place holds work that the kill switch does not ask.
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

  /** Its stream is there; false where it had one already. */
  begin(): boolean {
    if (this.#state !== 'new') return false;
    this.#state = 'synchronizing';
    for (const go of this.#waiting) go();
    return true;
  }

  /** Another stream of the same relay has taken its place, or wants to: its connection is ended within a second. */
  displaced(): void {
    this.#state = 'over';
  }

  /** The relay has left its stream: nobody could be asked about what this connection holds. */
  left(): void {
    this.#state = 'over';
    this.#options.end();
  }

  /** Until `over` aborts another connection synchronizes for this one, too. */
  handOver(over: AbortSignal): void {
    this.#state = 'over';
    this.#handedOver = over;
  }

  stands(): boolean {
    return this.#state === 'synchronizing' || this.#handedOver?.aborted === false;
  }

  /** Resolves with whether it stands, or does so in time; at once where `gone` aborts. */
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

  /** Why its connection must not go on. */
  problem(): string | undefined {
    if (this.stands()) return undefined;
    if (this.#handedOver !== undefined) return 'the connection that it was renewed over to has ended';
    if (this.#state === 'over') return 'its relay does not synchronize over it any more';
    const { synchronizeMs } = this.#options;
    if (performance.now() - this.#since < synchronizeMs) return undefined;
    this.#adrift();
    return `its relay did not synchronize within ${synchronizeMs / 1000} s`;
  }

  /** Once for each connection. */
  #adrift(): void {
    if (this.#told) return;
    this.#told = true;
    this.#options.onAdrift();
  }
}
