import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** One answer, read from a socket until its end. */
export interface RawAnswer {
  /** 0 if the connection ended without one. */
  readonly status: number;
  readonly text: string;
}

/**
 * Sends these very bytes over a connection of their own, and reads what comes until the peer ends it. A gateway takes
 * 200 connections at once and 100 a second of one address: who sends more names others of the loopback.
 */
export async function rawHttp(
  port: number,
  text: string | Buffer,
  localAddress = '127.0.0.1',
): Promise<RawAnswer> {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(text);
  return readAnswer(socket);
}

export async function readAnswer(socket: Socket): Promise<RawAnswer> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => void chunks.push(chunk));
  // `once` would reject if the peer resets the connection.
  await new Promise((resolve) => socket.once('close', resolve));
  const all = Buffer.concat(chunks).toString('latin1');
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(all)?.[1] ?? 0), text: all };
}

/** A request that ends its connection; `lines` are headers as they are sent. */
export function requestText(target: string, lines: readonly string[], method = 'GET', body = ''): string {
  return `${[`${method} ${target} HTTP/1.1`, 'connection: close', ...lines].join('\r\n')}\r\n\r\n${body}`;
}
