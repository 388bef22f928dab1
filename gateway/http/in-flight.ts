import type { IncomingMessage, ServerResponse } from 'node:http';
import { ClawrdenError } from '../../src/errors.ts';
import { TooSoon } from '../connections/call-budget.ts';
import { bodyBytes } from './read-body.ts';

/** What one principal, and all together, may have open at once. */
export interface InFlightLimits {
  readonly calls: number;
  /** Of bodies. */
  readonly bytes: number;
  readonly bytesInAll: number;
}

export const inFlightLimits: InFlightLimits = {
  calls: 256,
  bytes: 32 * 1024 * 1024,
  bytesInAll: 256 * 1024 * 1024,
};

export interface InFlight {
  /**
   * Before a byte of the body is read; counts until the response has closed. Throws TooSoon,
   * and `requester-gone` if it has.
   */
  readonly enter: (name: string, request: IncomingMessage, response: ServerResponse) => void;
  /** Who makes a request that has entered, and what answers it. */
  readonly callerOf: (request: IncomingMessage) => { name: string; response: ServerResponse } | undefined;
}

const comeBackMs = 1000;

export function createInFlight(limits: InFlightLimits = inFlightLimits): InFlight {
  const open = new Map<string, { calls: number; bytes: number }>();
  const callers = new WeakMap<IncomingMessage, { name: string; response: ServerResponse }>();
  let inAll = 0;
  return {
    callerOf: (request) => callers.get(request),
    enter: (name, request, response) => {
      // While it was asked who calls: it closes no second time.
      if (response.destroyed) throw new ClawrdenError('requester-gone', 'the caller is gone');
      const bytes = sizeOf(request);
      const own = open.get(name) ?? { calls: 0, bytes: 0 };
      if (own.calls >= limits.calls) throw tooMuch(`${name} has ${own.calls} calls open`);
      if (own.bytes + bytes > limits.bytes) throw tooMuch(`${name} has ${own.bytes} bytes of bodies open`);
      if (inAll + bytes > limits.bytesInAll) throw tooMuch('there are too many bytes of bodies open');
      own.calls += 1;
      own.bytes += bytes;
      inAll += bytes;
      open.set(name, own);
      callers.set(request, { name, response });
      response.once('close', () => {
        own.calls -= 1;
        own.bytes -= bytes;
        inAll -= bytes;
        if (own.calls === 0) open.delete(name);
      });
    },
  };
}

function tooMuch(what: string): TooSoon {
  return new TooSoon(`${what}; wait for one to end`, comeBackMs);
}

/** What its body may come to; a longer one is refused while it is read. */
function sizeOf({ headers }: IncomingMessage): number {
  if (headers['transfer-encoding'] !== undefined) return bodyBytes;
  return Math.min(bodyBytes, Number(headers['content-length'] ?? 0));
}
