import { ServerInterceptingCall, type ServerInterceptor, status } from '@grpc/grpc-js';
import type { Faults } from '../../src/faults.ts';

/** Ends each call that has said nothing within `withinMs`: an open call keeps its connection open. */
export function firstMessageWithin(withinMs: number, { guard }: Faults): ServerInterceptor {
  const details = `no message within ${withinMs / 1000} s`;
  return (_method, call) => {
    const end = guard('first message', () => call.sendStatus({ code: status.DEADLINE_EXCEEDED, details }));
    const timer = setTimeout(end, withinMs).unref();
    const heard = () => clearTimeout(timer);
    return new ServerInterceptingCall(call, {
      start: (next) => {
        next({
          onReceiveMessage: (message, pass) => {
            heard();
            pass(message);
          },
          onReceiveHalfClose: (pass) => {
            heard();
            pass();
          },
          onCancel: heard,
        });
      },
      sendStatus: (said, pass) => {
        heard();
        pass(said);
      },
    });
  };
}
