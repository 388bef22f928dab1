import type { ServerResponse } from 'node:http';
import { ClawrdenError } from '../../src/errors.ts';

/** Aborts when its caller takes no answer any more. */
export function whenGone(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => gone.abort(new ClawrdenError('requester-gone', 'the caller is gone')));
  return gone.signal;
}
