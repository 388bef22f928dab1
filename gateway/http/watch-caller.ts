import type { ServerResponse } from 'node:http';
import { ClawrdenError } from '../../src/errors.ts';
import type { Admitted } from './callers.ts';

const checkMs = 2000;

/**
 * Aborts when the caller's connection ends. Looks every two seconds whether its token still counts: `atRefusal` is what
 * to do if not.
 */
export function watchCaller(
  response: ServerResponse,
  check: Admitted['check'],
  atRefusal: (why: string, gone: AbortController) => void,
): { readonly gone: AbortSignal } & Disposable {
  const gone = new AbortController();
  const left = () => gone.abort(new ClawrdenError('requester-gone', 'the caller went away'));
  const look = () => {
    const checked = check();
    if ('refused' in checked) atRefusal(checked.refused, gone);
  };
  if (response.destroyed) left();
  response.once('close', left);
  const timer = setInterval(look, checkMs).unref();
  return {
    gone: gone.signal,
    [Symbol.dispose]: () => {
      clearInterval(timer);
      response.off('close', left);
    },
  };
}
