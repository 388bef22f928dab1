import { readFileSync } from 'node:fs';
import { Agent as HttpAgent } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { inspect } from 'node:util';
import Docker from 'dockerode';
import type { HostConfig } from '../../../src/config/gateway-config.ts';
import { boundAnswers } from '../../../src/container/bounded-answers.ts';
import { createNextPiece, type NextPiece } from '../../../src/next-piece.ts';
import type { SshFiles } from '../../../src/ssh/ssh-arguments.ts';
import { parseSshUrl } from '../../../src/ssh/ssh-destination.ts';
import { openSshTunnel } from '../../../src/ssh/ssh-tunnel.ts';
import { GuardedAgent } from '../../../src/tls/guarded-agent.ts';
import { countPiecesOf } from '../../../src/wire/small-pieces.ts';

export type EngineAddress = Pick<HostConfig, 'name' | 'engine' | 'tls' | 'ssh'>;

/** Attached streams leave the pool, so only calls at the same time count; a start lasts about 100 ms. */
const pool = { keepAlive: true, maxSockets: 32, maxFreeSockets: 8 };

export interface EngineConnection {
  readonly docker: Docker;
  /** Explains a call's error if the transport knows more about it. */
  readonly explain: (error: unknown) => unknown;
  /** Ends idle connections; over ssh, all of them. */
  readonly close: () => void;
}

/**
 * A client for one engine; connects on the first call. Throws if the address cannot be used. Ignores DOCKER_*
 * variables. Its long answers are read in `nextPiece`.
 */
export function connect(
  { name, engine, tls, ssh = {} }: EngineAddress,
  nextPiece: NextPiece = createNextPiece(),
): EngineConnection {
  const url = parseUrl(name, engine);
  if (url.protocol === 'ssh:') return overSsh({ name, engine, ssh }, nextPiece);
  const options = url.protocol === 'unix:' ? overSocket(url.pathname) : overTls(name, url, tls);
  countPiecesBy(options.agent, name);
  const docker = boundAnswers(new Docker({ ...untouched, ...options }), nextPiece);
  return { docker, explain: (error) => error, close: () => options.agent.destroy() };
}

/** Tiny pieces have a rate for each host, and not for all that one address or socket leads to. */
function countPiecesBy(agent: HttpAgent, name: string): void {
  const make = agent.createConnection.bind(agent);
  const counted = (connection: Duplex | null | undefined) => {
    if (connection) countPiecesOf(connection, `host:${name}`);
    return connection;
  };
  agent.createConnection = (options, done) =>
    counted(
      make(options, (error, connection) => {
        counted(connection);
        done?.(error, connection);
      }),
    );
}

function overSsh(
  { name, engine, ssh }: { readonly name: string; readonly engine: string; readonly ssh: SshFiles },
  nextPiece: NextPiece,
): EngineConnection {
  const destination = parseSshUrl(engine);
  if (destination === undefined) throw refusal(name, `"${engine}" names no machine`);
  const tunnel = openSshTunnel(destination, ssh);
  const options = overSocket(destination.socket);
  const { agent } = options;
  agent.createConnection = (_options, done) => {
    tunnel.connect().then(
      (socket) => done?.(null, socket),
      // There is no such value, but the type requires one.
      (error) => done?.(error, new Socket()),
    );
    return undefined;
  };
  countPiecesBy(agent, name);
  const close = () => {
    agent.destroy();
    tunnel.close();
  };
  const docker = boundAnswers(new Docker({ ...untouched, ...options }), nextPiece);
  return { docker, explain: tunnel.explain, close };
}

function overSocket(socketPath: string) {
  return { protocol: 'http' as const, socketPath, agent: opaque(new HttpAgent(pool)) };
}

function overTls(name: string, url: URL, tls: EngineAddress['tls']) {
  if (url.protocol !== 'tcp:') throw refusal(name, `${url.protocol}// is no way to an engine`);
  if (tls === undefined) throw refusal(name, 'tcp:// without tls is open to everyone who reaches it');
  const files = readTls(name, tls);
  return {
    protocol: 'https' as const,
    host: url.hostname,
    port: url.port === '' ? 2376 : Number(url.port),
    agent: opaque(new GuardedAgent({ ...pool, ...files, rejectUnauthorized: true, minVersion: 'TLSv1.2' })),
  };
}

/**
 * docker-modem describes each request for its debug output, even if that is off. A large agent object would take
 * milliseconds.
 */
function opaque<Agent extends HttpAgent>(agent: Agent): Agent {
  return Object.assign(agent, { [inspect.custom]: () => 'Agent' });
}

/** dockerode takes every absent option from the environment; an undefined does not prevent that. */
const untouched = {
  socketPath: undefined,
  host: undefined,
  port: undefined,
  ca: undefined,
  cert: undefined,
  key: undefined,
  timeout: undefined,
  pathPrefix: '/',
};

function parseUrl(name: string, engine: string): URL {
  if (!URL.canParse(engine)) throw refusal(name, `"${engine}" is not a URL`);
  return new URL(engine);
}

function readTls(
  name: string,
  tls: NonNullable<EngineAddress['tls']>,
): Record<'ca' | 'cert' | 'key', Buffer> {
  const read = (key: 'ca' | 'cert' | 'key'): Buffer => {
    try {
      return readFileSync(tls[key]);
    } catch (error) {
      throw new Error(`host ${name}: tls.${key}: ${String(error)}; name a readable PEM file`, {
        cause: error,
      });
    }
  };
  return { ca: read('ca'), cert: read('cert'), key: read('key') };
}

function refusal(name: string, why: string): Error {
  return new Error(
    `host ${name}: engine: ${why}; use unix:///path, tcp://host:port with tls or ssh://user@host`,
  );
}
