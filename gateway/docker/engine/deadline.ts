import { abortable, deadline } from '../../../src/abort.ts';

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
  const late = () => new EngineTimeout(`no answer within ${ms / 1000} s`);
  using until = deadline(ms, late, outer);
  return await abortable(call(until.signal), until.signal);
}
