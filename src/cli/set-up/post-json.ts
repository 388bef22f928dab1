import { request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import { readAtMost } from '../../read-at-most.ts';
import { CliError } from '../reach/cli-error.ts';
import { responseOf } from './doctor/engine-request.ts';

/** Asks the gateway's HTTP door. Rejects with a CliError that has its words. */
export type PostJson = <Answer>(path: string, body: object) => Promise<Answer>;

const waitMs = 30_000;
const mostBytes = 1 << 20;

/** `origin` as `http.url` writes it; `authority`: PEM, instead of those that the system trusts. */
export function createPostJson(origin: string, authority: string | undefined): PostJson {
  return async <Answer>(path: string, body: object) => {
    const { status, text } = await post(`${origin}${path}`, JSON.stringify(body), authority).catch(
      ({ message }: Error) => {
        const toDo = 'see that --url is http.url of the gateway, and --trust its authority';
        throw new CliError('login', `${origin} cannot be reached: ${message}`, toDo);
      },
    );
    const answer = parsed(text);
    if (status === 200 && typeof answer === 'object' && answer !== null) return answer as Answer;
    const { detail } = (answer ?? {}) as { readonly detail?: unknown };
    const why = typeof detail === 'string' ? detail : `${origin} answers ${status}`;
    throw new CliError('login', why, 'ask an admin of the gateway if it stays so');
  };
}

async function post(
  url: string,
  body: string,
  authority: string | undefined,
): Promise<{ readonly status: number; readonly text: string }> {
  const request = url.startsWith('https:') ? requestTls : requestPlain;
  const sent = request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
    signal: AbortSignal.timeout(waitMs),
    agent: false,
    ...(authority !== undefined && { ca: authority }),
  });
  const response = await responseOf(sent, body);
  const bytes = await readAtMost(response, mostBytes, () => new Error('the answer is too large'));
  return { status: response.statusCode ?? 0, text: bytes.toString() };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
