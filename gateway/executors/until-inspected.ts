import { abortable, deadline } from '../../src/abort.ts';
import { ClawrdenError } from '../../src/errors.ts';

/** An init reads 16 MiB at most. */
const inspectTimeoutMs = 10_000;

/** Waits for `found` with a deadline: rejects with `start-timeout`, or with the signal's reason. */
export async function untilInspected<T>(found: Promise<T>, signal: AbortSignal): Promise<T> {
  const text = `the scripts that it would run were not read within ${inspectTimeoutMs / 1000} s`;
  using until = deadline(inspectTimeoutMs, () => new ClawrdenError('start-timeout', text), signal);
  return await abortable(found, until.signal);
}
