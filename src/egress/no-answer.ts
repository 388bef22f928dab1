import type { ClientRequest } from 'node:http';
import type { Socket } from 'node:net';
import { EgressError } from './egress-error.ts';

/** Words before the answer, as `103 Early Hints`, which no client of ours needs. */
const mostHints = 16;

/**
 * Rejects at what is neither an answer nor an error to Node, and would be waited for as long as the server likes. At
 * `101 Switching Protocols` a call only closes, and its signal ends it no more.
 */
export function noAnswer(call: ClientRequest): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  const give = (up: string) => reject(new EgressError('unreachable', `the destination ${up}`));
  let hints = 0;
  call.on('upgrade', (_answer, socket: Socket) => {
    socket.destroy();
    give('changes the protocol, which nobody asked for');
  });
  call.on('information', () => {
    hints += 1;
    if (hints > mostHints) give('hints at an answer again and again');
  });
  promise.catch(() => {});
  return promise;
}
