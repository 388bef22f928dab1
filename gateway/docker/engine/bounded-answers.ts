import type { IncomingMessage } from 'node:http';
import { addAbortSignal } from 'node:stream';
import type Docker from 'dockerode';
import { readAtMost } from '../../../src/read-at-most.ts';

/** A list of thousands of containers is shorter. */
const mostBytes = 8 * 1024 * 1024;

type Done = (error: unknown, answer: unknown) => void;

/** What the library says of a call. */
interface Context {
  readonly isStream?: boolean;
  readonly hijack?: boolean;
  readonly openStdin?: boolean;
  readonly statusCodes: Readonly<Record<number, unknown>>;
}

/** The part of docker-modem that reads an answer. */
interface Modem {
  buildRequest: (
    options: { readonly signal?: AbortSignal },
    context: Context,
    data: unknown,
    done: Done,
  ) => void;
  readonly buildPayload: (
    ...payload: readonly [
      ...[error: null, isStream: false, statusCodes: Context['statusCodes'], openStdin: false],
      ...[request: object, response: IncomingMessage, body: unknown, done: Done],
    ]
  ) => void;
}

/** Every status counts as good, so that the library reads nothing by itself. */
const everyStatus: Context['statusCodes'] = new Proxy({}, { get: () => true });

/**
 * Holds an engine to so many bytes in an answer. The library gathers whatever comes, for as long as the call may take.
 * What is read as it comes, and connections that are taken over, are not answers.
 */
export function boundAnswers(docker: Docker): Docker {
  const modem = docker.modem as unknown as Modem;
  const build = modem.buildRequest;
  modem.buildRequest = (options, context, data, done) => {
    const { isStream = false, hijack = false, openStdin = false, statusCodes } = context;
    if (hijack || openStdin) return build.call(modem, options, context, data, done);
    const answered: Done = (error, answer) => {
      if (error !== null && error !== undefined) return done(error, null);
      const response = answer as IncomingMessage;
      if (isStream && statusCodes[response.statusCode ?? 0] === true) return done(null, response);
      gather(response, options.signal).then(
        (body) => modem.buildPayload(null, false, statusCodes, false, {}, response, body, done),
        (broken: unknown) => done(broken, null),
      );
    };
    build.call(modem, options, { ...context, isStream: true, statusCodes: everyStatus }, data, answered);
  };
  return docker;
}

/** The body as JSON, or its bytes. */
async function gather(response: IncomingMessage, signal: AbortSignal | undefined): Promise<unknown> {
  if (signal !== undefined) addAbortSignal(signal, response);
  const tooLong = () => new TooLong(`its engine answers with more than ${mostBytes} bytes`);
  const body = await readAtMost(response, mostBytes, tooLong);
  try {
    return JSON.parse(body.toString());
  } catch {
    return body;
  }
}

/** Counts as a broken connection. */
class TooLong extends Error {
  override name = 'TooLong';
  readonly code = 'EMSGSIZE';
}
