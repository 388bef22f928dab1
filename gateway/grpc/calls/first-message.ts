import { ServerInterceptingCall, type ServerInterceptor, status } from '@grpc/grpc-js';
import type { Faults } from '../../../src/faults.ts';
import { RelayServiceService } from '../../../src/gen/clawrden/v1/relay.ts';

/**
 * Ends each call that has not sent its first message within `withinMs`, or its only one with the end behind it: an open
 * call keeps its connection open, and its message. Except a relay's `Synchronize`: the relay may have to wait for an
 * engine before it can report.
 */
export function firstMessageWithin(withinMs: number, { guard }: Faults): ServerInterceptor {
  const details = `no whole request within ${withinMs / 1000} s`;
  return ({ path, requestStream }, call) => {
    if (path === RelayServiceService.synchronize.path) return new ServerInterceptingCall(call);
    const end = guard('first message', () => call.sendStatus({ code: status.DEADLINE_EXCEEDED, details }));
    const timer = setTimeout(end, withinMs).unref();
    const heard = () => clearTimeout(timer);
    return new ServerInterceptingCall(call, {
      start: (next) => {
        next({
          onReceiveMessage: (message, pass) => {
            if (requestStream) heard();
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
