import type { IncomingMessage, ServerResponse } from 'node:http';
import { ClawrdenError } from '../../src/errors.ts';
import type { OpenRequests } from '../connections/open-requests.ts';
import { readJsonBody } from '../connections/read-json-body.ts';
import { whenGone } from './gone.ts';

export interface InFlight {
  /**
   * Before a byte of the body is read; counts until the response has closed. Throws TooSoon,
   * and `requester-gone` if it has.
   */
  readonly enter: (name: string, request: IncomingMessage, response: ServerResponse) => void;
  /** Its body. Throws `request-invalid`, and `requester-gone` if its caller goes away while it waits for its turn. */
  readonly read: (request: IncomingMessage, bytes: Buffer) => Promise<unknown>;
}

export function createInFlight(requests: OpenRequests): InFlight {
  const callers = new WeakMap<IncomingMessage, { name: string; response: ServerResponse }>();
  return {
    read: async (request, bytes) => {
      const caller = callers.get(request);
      // Who is not known sends little.
      if (caller === undefined) return readJsonBody(bytes);
      return await requests.read(caller.name, bytes, whenGone(caller.response));
    },
    enter: (name, request, response) => {
      // While it was asked who calls: it closes no second time.
      if (response.destroyed) throw new ClawrdenError('requester-gone', 'the caller is gone');
      const leave = requests.enter(name, request);
      callers.set(request, { name, response });
      response.once('close', leave);
    },
  };
}
