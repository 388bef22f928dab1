import { IncomingMessage, type RequestOptions } from 'node:http';
import { addAbortSignal } from 'node:stream';
import { createNextPiece, type NextPiece } from '../next-piece.ts';
import { readAtMost } from '../read-at-most.ts';
import { type Call, callEngine } from './call-engine.ts';
import { EngineBroke } from './engine-broke.ts';
import { parseJson } from './parse-json.ts';

/** Lists of thousands are shorter; what an engine says of one thing takes some kilobytes. */
const [mostOfList, mostOfVolumes, mostOfOne] = [8 * 1024 * 1024, 2 * 1024 * 1024, 1024 * 1024];
const lists = /^\/(?:v[\d.]+\/)?(?:containers\/json|images\/json|networks)(?:\?|$)/;
const volumes = /^\/(?:v[\d.]+\/)?volumes(?:\?|$)/;

type Done = (error: unknown, answer: unknown) => void;

/** What the library says of a call. */
interface Context {
  readonly isStream?: boolean;
  readonly hijack?: boolean;
  readonly openStdin?: boolean;
  readonly statusCodes: Readonly<Record<number, unknown>>;
}

/** The part of docker-modem that makes a request and reads its answer. */
interface Modem {
  readonly protocol: string;
  buildRequest: (
    options: RequestOptions & { readonly path?: string; readonly signal?: AbortSignal },
    context: Context,
    data: Call['data'],
    done: Done,
  ) => void;
  buildPayload: (
    ...payload: readonly [
      ...[error: unknown, isStream: boolean, statusCodes: Context['statusCodes'], openStdin: boolean],
      ...[request: object, response: IncomingMessage, body: unknown, done: Done],
    ]
  ) => void;
}

const nothing = Buffer.alloc(0);
const notTaken = 'its engine answers and does not hand over the connection';

/**
 * Makes the requests of a client of the library `dockerode` in place of the library, which follows redirections, and
 * holds its engine to so many bytes in an answer. What is read as it comes, and connections that are taken over, are not
 * answers; one that should have been taken over and was not is. Long answers are read in `nextPiece`.
 */
export function boundAnswers<Client extends { readonly modem: unknown }>(
  docker: Client,
  nextPiece: NextPiece = createNextPiece(),
): Client {
  const modem = docker.modem as Modem;
  modem.buildRequest = (options, context, data, done) => {
    const { isStream = false, hijack = false, openStdin = false, statusCodes } = context;
    const takes = hijack || openStdin;
    callEngine(modem.protocol, options, { data, hijack, openStdin }, (error, answer) => {
      if (answer === null) return done(error, null);
      if (!(answer instanceof IncomingMessage)) return done(null, answer);
      const isGood = statusCodes[answer.statusCode ?? 0] === true;
      if (isGood && isStream && !takes) return done(null, answer);
      const read =
        isGood && takes
          ? Promise.reject(new EngineBroke(notTaken))
          : gather(answer, options.signal, { most: mostOf(options.path), nextPiece });
      read
        .finally(() => takes && answer.destroy())
        // The library takes fields of what it is given, and throws if that is null.
        .then((body) =>
          modem.buildPayload(null, false, statusCodes, false, {}, answer, body ?? nothing, done),
        )
        .catch((broken: unknown) => done(broken, null));
    });
  };
  return docker;
}

/** A list of volumes is in an object, and parsed in one piece: a megabyte takes some tens of milliseconds. */
function mostOf(path = ''): number {
  if (lists.test(path)) return mostOfList;
  return volumes.test(path) ? mostOfVolumes : mostOfOne;
}

/** All of an answer, within the bound: that of what is no list, if nothing else is said. */
export function readAnswer(
  response: IncomingMessage,
  signal: AbortSignal | undefined,
  most: number = mostOfOne,
): Promise<Buffer> {
  if (signal !== undefined) addAbortSignal(signal, response);
  const tooLong = () => new TooLong(`its engine answers with more than ${most} bytes`);
  return readAtMost(response, most, tooLong);
}

/** The body as JSON, or its bytes. */
async function gather(
  response: IncomingMessage,
  signal: AbortSignal | undefined,
  { most, nextPiece }: { readonly most: number; readonly nextPiece: NextPiece },
): Promise<unknown> {
  const body = await readAnswer(response, signal, most);
  try {
    return await parseJson(body, nextPiece);
  } catch (error) {
    if (error instanceof EngineBroke) throw error;
    return body;
  }
}

/** Counts as a broken connection. */
class TooLong extends Error {
  override name = 'TooLong';
  readonly code = 'EMSGSIZE';
}
