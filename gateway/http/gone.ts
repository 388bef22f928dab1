import type { ServerResponse } from 'node:http';
import { ClawrdenError } from '../../src/errors.ts';

/** Aborts when its caller takes no answer any more. */
export function whenGone(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  const left = () => gone.abort(new ClawrdenError('requester-gone', 'the caller is gone'));
  if (response.destroyed) left();
  response.once('close', left);
  return gone.signal;
}
