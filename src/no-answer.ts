import type { ClientRequest } from 'node:http';
import type { Socket } from 'node:net';

/** Words before the answer, as `103 Early Hints`, which no client of ours needs. */
const mostHints = 16;

/**
 * Rejects at what is neither an answer nor an error to Node, and would be waited for as long as the server likes. At
 * `101 Switching Protocols` a call only closes, and its signal ends it no more. `toError` is told what the server does.
 */
export function noAnswer(call: ClientRequest, toError: (does: string) => Error): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  const give = (does: string) => reject(toError(does));
  call.on('upgrade', (_answer, socket: Socket) => {
    socket.destroy();
    give('changes the protocol, which nobody asked for');
  });
  onManyHints(call, give);
  promise.catch(() => {});
  return promise;
}

/** Each hint costs a run of callbacks, and a server may send them without end. */
export function onManyHints(call: ClientRequest, give: (does: string) => void): void {
  let hints = 0;
  call.on('information', () => {
    hints += 1;
    if (hints > mostHints) give('hints at an answer again and again');
  });
}
