import { abortable, deadline } from '../../../src/abort.ts';

/** No answer in time; the edge turns it into `host-lost`. */
export class EngineTimeout extends Error {
  override name = 'EngineTimeout';
  readonly code = 'ETIMEDOUT';
}

/** Milliseconds for one call of the engine, unless the caller says otherwise. */
export const callTimeoutMs = 10_000;

/**
 * Runs `call` until it settles, `ms` pass (EngineTimeout) or `outer` aborts (its reason). The signal for `call`
 * aborts the request. The race is necessary too, because an answer that is cut in the middle never settles in
 * dockerode.
 */
export async function withDeadline<T>(
  ms: number,
  call: (signal: AbortSignal) => Promise<T>,
  outer?: AbortSignal,
): Promise<T> {
  outer?.throwIfAborted();
  const late = () => new EngineTimeout(`no answer within ${ms / 1000} s`);
  using until = deadline(ms, late, outer);
  return await abortable(call(until.signal), until.signal);
}
