import type { ClientRequest, IncomingMessage } from 'node:http';

/**
 * An answer whose connection fails ends with that error. Node takes one that says no length for whole then, as if its
 * server had ended it.
 */
export function failWith(call: ClientRequest, answer: IncomingMessage): void {
  // Its reader may come later.
  answer.on('error', () => {});
  call.on('error', (error) => {
    if (!answer.complete) answer.destroy(error);
  });
}
