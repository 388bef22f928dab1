import { readFile } from 'node:fs/promises';
import { type RequestOptions, request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import { json } from 'node:stream/consumers';

export interface EngineAddress {
  /** `unix:///PATH` or `tcp://HOST:PORT`. */
  readonly engine: string;
  readonly tls?: { readonly ca: string; readonly cert: string; readonly key: string };
}

export interface EngineAnswer {
  readonly status: number;
  readonly body: unknown;
}

const timeoutMs = 3000;

/** One GET of the Engine API. Rejects where there is no answer within 3 s. */
export async function askEngine({ engine, tls }: EngineAddress, path: string): Promise<EngineAnswer> {
  const { protocol, hostname, port, pathname } = new URL(engine);
  const common: RequestOptions = { path, signal: AbortSignal.timeout(timeoutMs), agent: false };
  if (protocol === 'unix:') return await answerOf(requestPlain({ ...common, socketPath: pathname }));
  if (protocol !== 'tcp:' || tls === undefined) throw new Error(`${engine} cannot be asked from here`);
  const [ca, cert, key] = await Promise.all([readFile(tls.ca), readFile(tls.cert), readFile(tls.key)]);
  return await answerOf(requestTls({ ...common, hostname, port, ca, cert, key, rejectUnauthorized: true }));
}

function answerOf(request: ReturnType<typeof requestPlain>): Promise<EngineAnswer> {
  return new Promise((resolve, reject) => {
    request.on('error', reject);
    request.on('response', (response) => {
      json(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
    });
    request.end();
  });
}
