import type { Readable } from 'node:stream';
import type { ClientDuplexStream, ServiceError } from '@grpc/grpc-js';
import { toClawrdenError } from '../errors.ts';
import type { ExecuteRequest, ExecuteResponse } from '../gen/clawrden/v1/execution.ts';
import type { Outcome } from '../outcome.ts';
import { boundedWriter } from '../wire/bounded-writer.ts';
import { fromWireOutcome } from '../wire/outcome-message.ts';
import { executeFailure, lost } from './execute-failure.ts';

export type ToGateway = NonNullable<ExecuteRequest['message']>;
export type FromGateway = NonNullable<ExecuteResponse['message']>;

const answerTimeoutMs = 25_000;
const closeTimeoutMs = 2000;

type ExecuteStream = ClientDuplexStream<ExecuteRequest, ExecuteResponse>;

/** One Execute stream, as a relay and the command line use it. */
export interface ExecuteCall {
  /** `undefined`: continue. A promise: wait; it also resolves when the stream is over. */
  readonly send: (message: ToGateway) => Promise<void> | undefined;
  /**
   * The last message. Rejects with a `CutOff` if the stream broke, or with a ClawrdenError if the gateway refused.
   */
  readonly outcome: Promise<Outcome>;
  /** Ends the stream: the gateway then treats the requester as gone. */
  readonly cancel: () => void;
}

/** Reads from `stream` at once, one response after the other: nothing else slows the gateway down. */
export function openExecuteCall(
  stream: ExecuteStream,
  onResponse: (response: FromGateway) => Promise<void> | undefined,
): ExecuteCall {
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
  stream: ExecuteStream,
  onResponse: (response: FromGateway) => Promise<void> | undefined,
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    let isAnswered = false;
    const timer = setTimeout(() => {
      reject(lost(`no answer within ${answerTimeoutMs / 1000} s`));
      stream.cancel();
    }, answerTimeoutMs);
    stream.on('data', ({ message }: ExecuteResponse) => {
      clearTimeout(timer);
      isAnswered = true;
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
      reject(executeFailure(error, isAnswered));
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

/** After the outcome the gateway closes the stream; the client does not wait for that. */
function letGo(stream: ExecuteStream): void {
  const timer = setTimeout(() => stream.cancel(), closeTimeoutMs).unref();
  stream.on('status', () => clearTimeout(timer));
  stream.end();
  stream.resume();
}
