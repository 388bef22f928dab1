import { request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import { CliError } from '../reach/cli-error.ts';

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

function post(
  url: string,
  body: string,
  authority: string | undefined,
): Promise<{ readonly status: number; readonly text: string }> {
  const request = url.startsWith('https:') ? requestTls : requestPlain;
  return new Promise((done, fail) => {
    const sent = request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      signal: AbortSignal.timeout(waitMs),
      agent: false,
      ...(authority !== undefined && { ca: authority }),
    });
    sent.on('error', fail);
    sent.on('response', (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('error', fail);
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        if (size > mostBytes) response.destroy(new Error('the answer is too large'));
      });
      response.on('end', () =>
        done({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
      );
    });
    sent.end(body);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
