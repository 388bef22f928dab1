/** No answer in time; becomes `host-lost` at the edge. */
export class EngineTimeout extends Error {
  override name = 'EngineTimeout';
  readonly code = 'ETIMEDOUT';
}

/** Milliseconds that an engine gets for one call, unless said otherwise. */
export const callTimeoutMs = 10_000;

/**
 * Runs `call` until it settles, `ms` pass (EngineTimeout) or `outer` aborts (its reason). The signal given to `call`
 * aborts the request; the race is ours all the same, since an answer cut in the middle never settles in dockerode.
 */
export async function withDeadline<T>(
  ms: number,
  call: (signal: AbortSignal) => Promise<T>,
  outer?: AbortSignal,
): Promise<T> {
  outer?.throwIfAborted();
  const controller = new AbortController();
  const onOuter = (): void => controller.abort(outer?.reason);
  const onTime = (): void => controller.abort(new EngineTimeout(`no answer within ${ms / 1000} s`));
  const timer = ms === Number.POSITIVE_INFINITY ? undefined : setTimeout(onTime, ms);
  outer?.addEventListener('abort', onOuter, { once: true });
  try {
    return await abortable(call(controller.signal), controller.signal);
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener('abort', onOuter);
  }
}

/** `promise`, or the signal's reason as a rejection if that comes first. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
