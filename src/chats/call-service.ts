import { deadline } from '../abort.ts';
import { packageVersion } from '../package-version.ts';

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
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      signal: until.signal,
      headers: {
        ...headers,
        'Content-Type': 'application/json; charset=utf-8',
        'User-Agent': `clawrden/${packageVersion()}`,
      },
      body: JSON.stringify(body),
    });
    const { status } = response;
    if (status >= 300 && status < 400) {
      await response.body?.cancel();
      return { why: `it redirects (${status}), which is not followed` };
    }
    const said = await readBounded(response);
    return { value: { status, retryAfterMs: retryAfterOf(response), json: jsonOf(said) } };
  } catch (error) {
    return { why: tellable(whyOf(until.signal.aborted ? until.signal.reason : error), secret) };
  }
}

/** A service's or the system's own words, short, in one line, and without the credential. */
export function tellable(text: string, secret: string): string {
  const bare = secret === '' ? text : text.replaceAll(secret, '[the token]');
  return bare.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, whyCharacters);
}

async function readBounded(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.length;
    if (size > answerBytes) throw new Error(`its answer has more than ${answerBytes} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function retryAfterOf({ headers }: Response): number | undefined {
  const text = headers.get('retry-after');
  const seconds = Number(text);
  return text !== null && Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined;
}

/** `fetch` says of every failure only that it failed, and the reason in its cause. */
function whyOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(whyOf).join('; ');
  if (!(error instanceof Error)) return String(error);
  if (error.cause !== undefined) return whyOf(error.cause);
  return error.message || String((error as NodeJS.ErrnoException).code);
}
