import type { IncomingMessage } from 'node:http';
import type { NextPiece } from '../../src/next-piece.ts';
import { type BodyTurns, createBodyTurns } from './body-turns.ts';
import { TooSoon } from './call-budget.ts';

/** What one principal, and all together, may have open at once, over HTTP and by agents' own doors together. */
export interface OpenRequestLimits {
  readonly calls: number;
  /** Of bodies. */
  readonly bytes: number;
  /** Of all agents, and of everybody else: who stops an agent waits for nothing that agents hold. */
  readonly bytesInAll: number;
}

export const openRequestLimits: OpenRequestLimits = {
  calls: 256,
  bytes: 32 * 1024 * 1024,
  bytesInAll: 256 * 1024 * 1024,
};

/** A longer one is refused while it is read. */
export const bodyBytes = 2 * 1024 * 1024;

export interface OpenRequests extends BodyTurns {
  /** Before a byte of the body is read. Throws TooSoon; counts until the returned function is called, once. */
  readonly enter: (name: string, request: Pick<IncomingMessage, 'headers'>) => () => void;
}

const comeBackMs = 1000;

export function createOpenRequests(
  nextPiece: NextPiece,
  limits: OpenRequestLimits = openRequestLimits,
): OpenRequests {
  const open = new Map<string, { calls: number; bytes: number }>();
  const [ofAgents, ofOthers] = [{ bytes: 0 }, { bytes: 0 }];
  return {
    ...createBodyTurns(nextPiece),
    enter: (name, request) => {
      const bytes = sizeOf(request);
      const own = open.get(name) ?? { calls: 0, bytes: 0 };
      const inAll = name.startsWith('agent:') ? ofAgents : ofOthers;
      if (own.calls >= limits.calls) throw tooMuch(`${name} has ${own.calls} calls open`);
      if (own.bytes + bytes > limits.bytes) throw tooMuch(`${name} has ${own.bytes} bytes of bodies open`);
      // Who has none open gets one: eight of them are enough to fill it.
      if (own.bytes > 0 && inAll.bytes + bytes > limits.bytesInAll)
        throw tooMuch('there are too many bytes of bodies open');
      own.calls += 1;
      own.bytes += bytes;
      inAll.bytes += bytes;
      open.set(name, own);
      return () => {
        own.calls -= 1;
        own.bytes -= bytes;
        inAll.bytes -= bytes;
        if (own.calls === 0) open.delete(name);
      };
    },
  };
}

function tooMuch(what: string): TooSoon {
  return new TooSoon(`${what}; wait for one to end`, comeBackMs);
}

/** What its body may come to. */
function sizeOf({ headers }: Pick<IncomingMessage, 'headers'>): number {
  if (headers['transfer-encoding'] !== undefined) return bodyBytes;
  return Math.min(bodyBytes, Number(headers['content-length'] ?? 0));
}
