import { readTraceparent } from '../../src/traces/trace-context.ts';
import type { StartRequest } from '../ports/channel.ts';

/** What a caller sent as `traceparent`; nothing if it has another form. */
export function traceOf(sent: unknown): Pick<StartRequest, 'traceparent'> {
  return readTraceparent(sent) === undefined ? {} : { traceparent: String(sent) };
}
