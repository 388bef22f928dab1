/**
 * Calls `listener` once when `signal` aborts, at once if it has already, and not after the returned value was
 * disposed of. Node's `addAbortListener` calls it a turn later if the signal has aborted already.
 */
export function onAbort(signal: AbortSignal, listener: () => void): Disposable {
  if (signal.aborted) {
    listener();
    return { [Symbol.dispose]: () => {} };
  }
  signal.addEventListener('abort', listener, { once: true });
  return { [Symbol.dispose]: () => signal.removeEventListener('abort', listener) };
}

/** `promise`, or the signal's reason as a rejection if that comes first. */
export async function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  using _ = onAbort(signal, () => aborted.reject(signal.reason));
  return await Promise.race([aborted.promise, promise]);
}

export interface Deadline extends Disposable {
  /** Aborts with what `late` makes when the time is over, and with the reason of `outer` when that aborts. */
  readonly signal: AbortSignal;
}

/**
 * `ms` from now, `Infinity` for never, until it is disposed of. `AbortSignal.timeout` has one reason for all, and its
 * timer goes on after the work has ended.
 */
export function deadline(ms: number, late: () => unknown, outer?: AbortSignal): Deadline {
  const timed = new AbortController();
  const timer = ms === Number.POSITIVE_INFINITY ? undefined : setTimeout(() => timed.abort(late()), ms);
  return {
    signal: outer === undefined ? timed.signal : AbortSignal.any([outer, timed.signal]),
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}
