import { readFile } from 'node:fs/promises';
import {
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions,
  request as requestPlain,
} from 'node:http';
import { request as requestTls } from 'node:https';
import type { HostConfig } from '../../../config/gateway-config.ts';
import { noAnswer } from '../../../no-answer.ts';
import { readAtMost } from '../../../read-at-most.ts';
import { parseSshUrl, type SshDestination } from '../../../ssh/ssh-destination.ts';
import { openSshTunnel } from '../../../ssh/ssh-tunnel.ts';

export type EngineAddress = Pick<HostConfig, 'engine' | 'tls' | 'ssh'>;

export interface EngineAnswer {
  readonly status: number;
  readonly body: unknown;
}

const timeoutMs = 3000;
const streamTimeoutMs = 10_000;
/** As much as the gateway takes. */
const mostBytes = 8 * 1024 ** 2;

export interface EngineCall {
  readonly path: string;
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** JSON, or a tar. */
  readonly body?: object;
  readonly withinMs?: number;
}

/** One GET of the Engine API. Rejects if there is no answer within 3 s, after at most 15 s for a login. */
export async function askEngine(address: EngineAddress, path: string): Promise<EngineAnswer> {
  const { status, bytes } = await callEngine(address, { path });
  return { status, body: JSON.parse(bytes.toString()) };
}

/** One call of the Engine API. */
export async function callEngine(
  { engine, tls, ssh }: EngineAddress,
  call: EngineCall,
): Promise<{ readonly status: number; readonly bytes: Buffer }> {
  const { protocol, hostname, port, pathname } = new URL(engine);
  const destination = parseSshUrl(engine);
  if (destination !== undefined) return await callOverSsh(destination, ssh, call);
  const common: RequestOptions = { ...optionsOf(call), agent: false };
  if (protocol === 'unix:') return await answerOf(requestPlain({ ...common, socketPath: pathname }), call);
  if (protocol !== 'tcp:' || tls === undefined) throw new Error(`${engine} cannot be asked from here`);
  const [ca, cert, key] = await Promise.all([readFile(tls.ca), readFile(tls.cert), readFile(tls.key)]);
  const secure = { hostname, port, ca, cert, key, rejectUnauthorized: true };
  return await answerOf(requestTls({ ...common, ...secure }), call);
}

function optionsOf({ path, method = 'GET', body, withinMs = timeoutMs }: EngineCall): RequestOptions {
  const type = body instanceof Uint8Array ? 'application/x-tar' : 'application/json';
  const headers = body === undefined ? {} : { 'Content-Type': type };
  return { path, method, headers, signal: AbortSignal.timeout(withinMs) };
}

async function callOverSsh(destination: SshDestination, files: EngineAddress['ssh'], call: EngineCall) {
  const tunnel = openSshTunnel(destination, files ?? {});
  try {
    const socket = await tunnel.connect();
    return await answerOf(requestPlain({ ...optionsOf(call), createConnection: () => socket }), call);
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

async function answerOf(request: ClientRequest, { body }: EngineCall) {
  const bytes = body === undefined || body instanceof Uint8Array ? body : JSON.stringify(body);
  const response = await responseOf(request, bytes);
  return { status: response.statusCode ?? 0, bytes: await bytesOf(response) };
}

/** Rejects, and ends the answer, if it is longer than one of an engine is. */
export function bytesOf(answer: IncomingMessage): Promise<Buffer> {
  return readAtMost(answer, mostBytes, () => new Error(`it answers with more than ${mostBytes} bytes`));
}

/** Sends the request, with `body` if there is one. */
export function responseOf(request: ClientRequest, body?: string | Uint8Array): Promise<IncomingMessage> {
  return Promise.race([answerTo(request, body), noAnswer(request, (does) => new Error(`it ${does}`))]);
}

/** The same for a request that asks for another protocol: who sends it takes the connection. */
export function answerTo(request: ClientRequest, body?: string | Uint8Array): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.on('error', reject).on('response', resolve).end(body);
  });
}
