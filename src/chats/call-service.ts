import type { IncomingMessage } from 'node:http';
import { deadline } from '../abort.ts';
import { packageVersion } from '../package-version.ts';
import { readAtMost } from '../read-at-most.ts';
import { askServer, type ServerRequest } from '../tls/ask-server.ts';

/** What a chat service answered: a value, or why there is none. `waitMs`: it said when to come back. */
export type ServiceAnswer<Value> = { readonly value: Value } | ServiceRefusal;

export interface ServiceRefusal {
  readonly why: string;
  /** What the service calls it; absent if it did not answer. */
  readonly code?: string;
  readonly waitMs?: number;
}

export interface ServiceCall {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
  readonly withinMs: number;
  /** It stands in the address or in a header, and never in what is said about the call. */
  readonly secret: string;
}

export interface RawAnswer {
  readonly status: number;
  readonly retryAfterMs: number | undefined;
  readonly json: unknown;
}

const answerBytes = 2 * 1024 ** 2;
const whyCharacters = 300;

/** One POST of JSON. A redirect is not followed: the credential goes to the service that gateway.yaml names. */
export async function callService(
  { url, headers, body, withinMs, secret }: ServiceCall,
  signal: AbortSignal,
): Promise<ServiceAnswer<RawAnswer>> {
  using until = deadline(withinMs, () => new Error(`it did not answer within ${withinMs / 1000} s`), signal);
  try {
    const answer = await askServer(url, postOf(headers, JSON.stringify(body)), until.signal);
    const { statusCode: status = 0 } = answer;
    if (status >= 300 && status < 400) {
      answer.destroy();
      return { why: `it redirects (${status}), which is not followed` };
    }
    const said = await readAtMost(answer, answerBytes, tooLarge);
    return { value: { status, retryAfterMs: retryAfterOf(answer), json: jsonOf(said.toString()) } };
  } catch (error) {
    return { why: tellable(whyOf(until.signal.aborted ? until.signal.reason : error), secret) };
  }
}

/** A service's or the system's own words, short, in one line, and without the credential. */
export function tellable(text: string, secret: string): string {
  const bare = secret === '' ? text : text.replaceAll(secret, '[the token]');
  return bare.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, whyCharacters);
}

function postOf(headers: ServiceCall['headers'], body: string): ServerRequest {
  const own = {
    'Content-Type': 'application/json; charset=utf-8',
    'User-Agent': `clawrden/${packageVersion()}`,
  };
  // It is where gateway.yaml says, which is never link-local.
  return { method: 'POST', headers: { ...headers, ...own }, body, reach: { private: true, byProxy: true } };
}

const tooLarge = () => new Error(`its answer has more than ${answerBytes} bytes`);

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function retryAfterOf({ headers }: IncomingMessage): number | undefined {
  const text = headers['retry-after'];
  const seconds = Number(text);
  return text !== undefined && Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined;
}

function whyOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(whyOf).join('; ');
  if (!(error instanceof Error)) return String(error);
  return error.message || String((error as NodeJS.ErrnoException).code);
}
