import type { Readable } from 'node:stream';
import { type ClientDuplexStream, type ServiceError, status } from '@grpc/grpc-js';
import { ClawrdenError, toClawrdenError } from '../../../src/errors.ts';
import type { ExecuteRequest, ExecuteResponse } from '../../../src/gen/clawrden/v1/execution.ts';
import type { Outcome } from '../../../src/outcome.ts';
import { boundedWriter } from '../../../src/wire/bounded-writer.ts';
import { fromWireOutcome } from '../../../src/wire/outcome-message.ts';

export type ToGateway = NonNullable<ExecuteRequest['message']>;
export type FromGateway = NonNullable<ExecuteResponse['message']>;

const answerTimeoutMs = 25_000;
const closeTimeoutMs = 2000;

/** One Execute stream. */
export interface GatewayCall {
  /** `undefined` means go on; a promise means wait, and also resolves when the stream is over. */
  readonly send: (message: ToGateway) => Promise<void> | undefined;
  /** The last message. Rejects with `gateway-lost`, or `gateway-unreachable` where this relay is not let in. */
  readonly outcome: Promise<Outcome>;
  /** Ends the stream: for the gateway the requester is gone. */
  readonly cancel: () => void;
}

/** Reads from `stream` at once, one response after the other: nothing else holds the gateway back. */
export function openGatewayCall(
  stream: ClientDuplexStream<ExecuteRequest, ExecuteResponse>,
  onResponse: (response: FromGateway) => Promise<void> | undefined,
): GatewayCall {
  const writer = boundedWriter<ExecuteRequest>(stream);
  let over = false;
  stream.on('status', () => {
    over = true;
    writer.release();
  });
  return {
    send: (message) => {
      if (over || stream.writableEnded) return undefined;
      return writer.write({ message }, bytesOf(message));
    },
    outcome: readResponses(stream, onResponse).finally(() => {
      if (!over) letGo(stream);
    }),
    cancel: () => stream.cancel(),
  };
}

function bytesOf(message: ToGateway): number {
  return message.$case === 'stdin' || message.$case === 'stdout' || message.$case === 'stderr'
    ? message.value.length
    : 0;
}

function readResponses(
  stream: ClientDuplexStream<ExecuteRequest, ExecuteResponse>,
  onResponse: (response: FromGateway) => Promise<void> | undefined,
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(lost(`no answer within ${answerTimeoutMs / 1000} s`));
      stream.cancel();
    }, answerTimeoutMs);
    stream.on('data', ({ message }: ExecuteResponse) => {
      clearTimeout(timer);
      if (message?.$case === 'outcome') resolve(fromWireOutcome(message.value));
      try {
        pauseWhile(stream, message && onResponse(message));
      } catch (error) {
        reject(toClawrdenError(error));
        stream.cancel();
      }
    });
    stream.on('error', (error: ServiceError) => {
      clearTimeout(timer);
      reject(failureOf(error));
    });
    stream.on('end', () => {
      clearTimeout(timer);
      reject(lost('the stream ended before the command did'));
    });
  });
}

function pauseWhile(stream: Readable, wait: Promise<void> | undefined): void {
  if (wait === undefined) return;
  stream.pause();
  void wait.then(() => stream.resume());
}

/** Behind the outcome the gateway closes the stream; one that does not is not waited for. */
function letGo(stream: ClientDuplexStream<ExecuteRequest, ExecuteResponse>): void {
  const timer = setTimeout(() => stream.cancel(), closeTimeoutMs).unref();
  stream.on('status', () => clearTimeout(timer));
  stream.end();
  stream.resume();
}

function failureOf({ code, details }: ServiceError): ClawrdenError {
  if (code !== status.UNAUTHENTICATED && code !== status.PERMISSION_DENIED) return lost(details);
  return new ClawrdenError('gateway-unreachable', `the gateway does not let this relay in: ${details}`);
}

function lost(why: string): ClawrdenError {
  return new ClawrdenError('gateway-lost', `the connection to the gateway was lost: ${why}`);
}
