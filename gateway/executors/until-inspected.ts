import { ClawrdenError } from '../../src/errors.ts';

/** An init reads 16 MiB at most. */
const inspectTimeoutMs = 10_000;

/** Waits for `found` with a deadline: rejects with `start-timeout`, or with the signal's reason. */
export async function untilInspected<T>(found: Promise<T>, signal: AbortSignal): Promise<T> {
  const late = Promise.withResolvers<never>();
  const text = `the scripts that it would run were not read within ${inspectTimeoutMs / 1000} s`;
  const timer = setTimeout(() => late.reject(new ClawrdenError('start-timeout', text)), inspectTimeoutMs);
  const onAbort = () => late.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([found, late.promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}
