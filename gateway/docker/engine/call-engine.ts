import { request as requestByHttp, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as requestByHttps } from 'node:https';
import type { Duplex, Readable } from 'node:stream';

/** What the library says of a call. */
export interface Call {
  /** JSON, an archive, or nothing. */
  readonly data: string | Buffer | Readable | undefined;
  readonly hijack: boolean;
  /** The request stays open, for the connection to be taken over. */
  readonly openStdin: boolean;
}

type Answered = (error: unknown, answer: IncomingMessage | Duplex | null) => void;

/**
 * Calls an engine, in place of the library, which follows a redirection to wherever a host says. `answered` is called
 * once: with the head of the answer, or the connection if it was handed over. Behind that somebody hears of errors for
 * as long as there may be any; who reads the answer hears of them, too.
 */
export function callEngine(
  protocol: string,
  options: RequestOptions,
  { data, hijack, openStdin }: Call,
  answered: Answered,
): void {
  let isAnswered = false;
  const answer: Answered = (...result) => {
    if (isAnswered) return;
    isAnswered = true;
    answered(...result);
  };
  try {
    const request = (protocol === 'https' ? requestByHttps : requestByHttp)(options);
    request.on('error', (error) => answer(error, null));
    request.on('response', (response) => answer(null, response.on('error', unheard)));
    if (hijack)
      request.on('upgrade', (_response, connection, head) => {
        if (head.length > 0) connection.unshift(head);
        answer(null, connection);
      });
    if (typeof data === 'string' || Buffer.isBuffer(data)) request.write(data);
    else data?.on('error', (error) => request.destroy(error)).pipe(request);
    if (!openStdin && (data === undefined || typeof data === 'string' || Buffer.isBuffer(data))) request.end();
  } catch (error) {
    answer(error, null);
  }
}

/** A connection to an engine, heard of for life: also while nobody has it, and behind a handing over. */
export function heard(connection: Duplex): void {
  if (connection.listenerCount('error', unheard) === 0) connection.on('error', unheard);
}

function unheard(): void {}
