import { type ClientDuplexStream, type ServiceError, status } from '@grpc/grpc-js';
import { ClawrdenError } from '../../../errors.ts';
import type { ExecuteRequest, ExecuteResponse } from '../../../gen/clawrden/v1/execution.ts';
import { type Outcome, outcomeOf } from '../../../outcome.ts';
import { fromWireOutcome } from '../../../wire/outcome-message.ts';
import { plain } from '../../reach/grpc-error.ts';

export type ToGateway = NonNullable<ExecuteRequest['message']>;
export type FromGateway = NonNullable<ExecuteResponse['message']>;
export type ExecuteStream = ClientDuplexStream<ExecuteRequest, ExecuteResponse>;

/**
 * Reads a stream to its outcome, one message after the other: `onMessage` may return a promise, and nothing more is
 * read before it resolves. Never rejects: a lost or refused stream is an outcome too.
 */
export function readToOutcome(
  stream: ExecuteStream,
  onMessage: (message: FromGateway) => Promise<void> | undefined,
): Promise<Outcome> {
  return new Promise((resolve) => {
    let answered = false;
    stream.on('data', ({ message }: ExecuteResponse) => {
      if (message === undefined) return;
      answered = true;
      if (message.$case === 'outcome') resolve(fromWireOutcome(message.value));
      const wait = onMessage(message);
      if (wait === undefined) return;
      stream.pause();
      void wait.then(() => stream.resume());
    });
    stream.on('error', (error: ServiceError) => resolve(outcomeOf(failureOf(error, answered))));
    stream.on('end', () => resolve(outcomeOf(lost('the stream ended before the command did'))));
  });
}

function failureOf(error: ServiceError, answered: boolean): ClawrdenError {
  const details = plain(error.details);
  if (error.code === status.UNAVAILABLE && !answered)
    return new ClawrdenError('gateway-unreachable', `the gateway does not answer (${details})`);
  if (error.code === status.UNAUTHENTICATED || error.code === status.PERMISSION_DENIED)
    return new ClawrdenError('gateway-unreachable', `the gateway does not let you in: ${details}`);
  if (error.code === status.INVALID_ARGUMENT) return new ClawrdenError('request-invalid', details);
  return lost(details);
}

function lost(why: string): ClawrdenError {
  return new ClawrdenError('gateway-lost', `the connection to the gateway was lost: ${why}`);
}
