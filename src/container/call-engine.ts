import { type IncomingMessage, type RequestOptions, request as requestByHttp } from 'node:http';
import { request as requestByHttps } from 'node:https';
import type { Duplex, Readable } from 'node:stream';
import { onManyHints } from '../no-answer.ts';
import { EngineBroke } from './engine-broke.ts';

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
 * Calls an engine, and follows no redirection. `answered` is called once: with the head of the answer, or the connection
 * if it was handed over.
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
    request.on('socket', heard);
    request.on('error', (error) => answer(error, null));
    onManyHints(request, (does) => request.destroy(new EngineBroke(`its engine ${does}`)));
    // One that changes the protocol unasked only closes.
    request.on('close', () => answer(new EngineBroke('its engine closes the connection'), null));
    request.on('response', (response) => answer(null, response));
    if (hijack)
      request.on('upgrade', (_response, connection, head) => {
        if (head.length > 0) connection.unshift(head);
        answer(null, connection);
      });
    const isWhole = data === undefined || typeof data === 'string' || Buffer.isBuffer(data);
    if (!isWhole) data.on('error', (error) => request.destroy(error)).pipe(request);
    else if (data !== undefined) request.write(data);
    if (isWhole && !openStdin) request.end();
  } catch (error) {
    answer(error, null);
  }
}

/** Errors of a connection are heard of for its life, also while nobody has it. */
function heard(connection: Duplex): void {
  if (connection.listenerCount('error', unheard) === 0) connection.on('error', unheard);
}

function unheard(): void {}
