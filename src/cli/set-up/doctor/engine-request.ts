import { readFile } from 'node:fs/promises';
import { type IncomingMessage, type RequestOptions, request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import { json } from 'node:stream/consumers';
import type { HostConfig } from '../../../config/gateway-config.ts';
import { parseSshUrl, type SshDestination } from '../../../ssh/ssh-destination.ts';
import { openSshTunnel } from '../../../ssh/ssh-tunnel.ts';

export type EngineAddress = Pick<HostConfig, 'engine' | 'tls' | 'ssh'>;

export interface EngineAnswer {
  readonly status: number;
  readonly body: unknown;
}

const timeoutMs = 3000;
const streamTimeoutMs = 10_000;

/** One GET of the Engine API. Rejects if there is no answer within 3 s, after at most 15 s for a login. */
export async function askEngine({ engine, tls, ssh }: EngineAddress, path: string): Promise<EngineAnswer> {
  const { protocol, hostname, port, pathname } = new URL(engine);
  const destination = parseSshUrl(engine);
  if (destination !== undefined) return await askOverSsh(destination, ssh, path);
  const common: RequestOptions = { path, signal: AbortSignal.timeout(timeoutMs), agent: false };
  if (protocol === 'unix:') return await answerOf(requestPlain({ ...common, socketPath: pathname }));
  if (protocol !== 'tcp:' || tls === undefined) throw new Error(`${engine} cannot be asked from here`);
  const [ca, cert, key] = await Promise.all([readFile(tls.ca), readFile(tls.cert), readFile(tls.key)]);
  return await answerOf(requestTls({ ...common, hostname, port, ca, cert, key, rejectUnauthorized: true }));
}

async function askOverSsh(
  destination: SshDestination,
  files: EngineAddress['ssh'],
  path: string,
): Promise<EngineAnswer> {
  const tunnel = openSshTunnel(destination, files ?? {});
  try {
    const socket = await tunnel.connect();
    const signal = AbortSignal.timeout(timeoutMs);
    return await answerOf(requestPlain({ path, signal, createConnection: () => socket }));
  } finally {
    tunnel.close();
  }
}

/**
 * The same of an engine on a Unix socket, for what is no JSON: the answer, which the caller reads or destroys within 10
 * s. A HEAD has only headers.
 */
export async function openAnswer(
  { engine }: EngineAddress,
  path: string,
  method: 'GET' | 'HEAD' = 'GET',
): Promise<IncomingMessage> {
  const { pathname: socketPath } = new URL(engine);
  const signal = AbortSignal.timeout(streamTimeoutMs);
  return await responseOf(requestPlain({ path, method, socketPath, signal, agent: false }));
}

async function answerOf(request: ReturnType<typeof requestPlain>): Promise<EngineAnswer> {
  const response = await responseOf(request);
  return { status: response.statusCode ?? 0, body: await json(response) };
}

/** Sends the request, with `body` if there is one. */
export function responseOf(
  request: ReturnType<typeof requestPlain>,
  body?: string,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.on('error', reject);
    request.on('response', resolve);
    request.end(body);
  });
}
