import type { IncomingMessage } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { createLookTurns } from '../connections/look-turns.ts';
import { readJsonBody } from '../connections/read-json-body.ts';
import { whenGone } from './gone.ts';
import type { InFlight } from './in-flight.ts';

/** What is smaller costs about a millisecond of the gateway's one thread. */
const largeBytes = 16 * 1024;

/** Reads the large bodies of one principal one at a time, with a turn for others behind each. */
export interface BodyTurns {
  /** Throws `request-invalid`, and the reason if its caller goes away while it waits. */
  readonly read: (request: IncomingMessage, bytes: Buffer) => Promise<unknown>;
}

export function createBodyTurns({ callerOf }: Pick<InFlight, 'callerOf'>): BodyTurns {
  const turns = createLookTurns(1);
  return {
    read: async (request, bytes) => {
      const caller = callerOf(request);
      // Who is not known sends little.
      if (bytes.length <= largeBytes || caller === undefined) return readJsonBody(bytes);
      return await turns.take(caller.name, whenGone(caller.response), async () => {
        try {
          return readJsonBody(bytes);
        } finally {
          await turn();
        }
      });
    },
  };
}
