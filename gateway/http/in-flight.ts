import type { IncomingMessage, ServerResponse } from 'node:http';
import { ClawrdenError } from '../../src/errors.ts';
import type { OpenRequests } from '../connections/open-requests.ts';

export interface InFlight {
  /**
   * Before a byte of the body is read; counts until the response has closed. Throws TooSoon,
   * and `requester-gone` if it has.
   */
  readonly enter: (name: string, request: IncomingMessage, response: ServerResponse) => void;
  /** Who makes a request that has entered, and what answers it. */
  readonly callerOf: (request: IncomingMessage) => { name: string; response: ServerResponse } | undefined;
}

export function createInFlight(requests: OpenRequests): InFlight {
  const callers = new WeakMap<IncomingMessage, { name: string; response: ServerResponse }>();
  return {
    callerOf: (request) => callers.get(request),
    enter: (name, request, response) => {
      // While it was asked who calls: it closes no second time.
      if (response.destroyed) throw new ClawrdenError('requester-gone', 'the caller is gone');
      const leave = requests.enter(name, request);
      callers.set(request, { name, response });
      response.once('close', leave);
    },
  };
}
