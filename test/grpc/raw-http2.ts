import { connect as connectTcp } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { readIdentity } from '../../src/pki/identity-files.ts';

/** HTTP/2 as bytes, so that a test can break every rule. */
export const frameTypes = {
  data: 0,
  headers: 1,
  priority: 2,
  rstStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

export const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

export interface RawFrame {
  readonly type: number;
  readonly flags?: number;
  readonly stream?: number;
  readonly payload?: Uint8Array;
  /** The length in the header, if it is not the payload's length. */
  readonly length?: number;
}

export function rawFrame({
  type,
  flags = 0,
  stream = 0,
  payload = Buffer.alloc(0),
  length,
}: RawFrame): Buffer {
  const header = Buffer.alloc(9);
  header.writeUIntBE((length ?? payload.length) & 0xffffff, 0, 3);
  header.writeUInt8(type & 0xff, 3);
  header.writeUInt8(flags & 0xff, 4);
  header.writeUInt32BE(stream >>> 0, 5);
  return Buffer.concat([header, payload]);
}

export const settings = (...pairs: [id: number, value: number][]): Buffer =>
  rawFrame({
    type: frameTypes.settings,
    payload: Buffer.concat(pairs.map(([id, value]) => Buffer.concat([u16(id), u32(value)]))),
  });

export const goaway = (code = 0, last = 0): Buffer =>
  rawFrame({ type: frameTypes.goaway, payload: Buffer.concat([u32(last), u32(code)]) });

/** Literal header fields without indexing: enough HPACK for every header. */
export function headerBlock(fields: readonly (readonly [string, string])[]): Buffer {
  const text = (value: string) => Buffer.concat([integer(value.length), Buffer.from(value)]);
  return Buffer.concat(fields.flatMap(([name, value]) => [Buffer.from([0]), text(name), text(value)]));
}

/** HPACK's integer with a prefix of 7 bits. */
function integer(value: number): Buffer {
  if (value < 127) return Buffer.from([value]);
  const bytes = [127];
  let rest = value - 127;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  return Buffer.from([...bytes, rest]);
}

export const callFields = (path: string, ...more: (readonly [string, string])[]) =>
  [
    [':method', 'POST'],
    [':scheme', 'https'],
    [':path', path],
    [':authority', 'localhost'],
    ['content-type', 'application/grpc'],
    ['te', 'trailers'],
    ...more,
  ] as const;

/** HEADERS of a call, and its only message (empty if absent) with the end of the stream. */
export function rawCall(stream: number, path: string, ...more: (readonly [string, string])[]): Buffer {
  return Buffer.concat([
    rawFrame({ type: frameTypes.headers, flags: 4, stream, payload: headerBlock(callFields(path, ...more)) }),
    rawFrame({ type: frameTypes.data, flags: 1, stream, payload: Buffer.alloc(5) }),
  ]);
}

export const u16 = (value: number): Buffer => Buffer.from([value >>> 8, value & 0xff]);
export const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
};

export interface RawPeer {
  readonly socket: TLSSocket;
  /** Writes if the connection still accepts it. */
  readonly send: (...bytes: Uint8Array[]) => void;
  /** All that has come. */
  readonly received: () => Buffer;
  readonly ended: Promise<void>;
  /** Whether the other side has released all of it. */
  readonly probe: () => boolean;
  /** Ends it by a TCP reset. */
  readonly reset: () => void;
}

/** A TLS connection that speaks `h2`, with this identity or with none. */
export async function connectRaw(
  address: { readonly port: number; readonly host?: string; readonly localAddress?: string },
  identityDir?: string,
): Promise<RawPeer> {
  const identity = identityDir === undefined ? undefined : await readIdentity(identityDir);
  // It keeps its end open, whatever the other side does.
  const tcp = connectTcp({ host: '127.0.0.1', ...address, allowHalfOpen: true });
  const socket = connect({
    socket: tcp,
    rejectUnauthorized: false,
    ALPNProtocols: ['h2'],
    ...(identity && { cert: identity.certificate, key: identity.key }),
  });
  const chunks: Buffer[] = [];
  // A TLS socket over another one is not always destroyed with it, nor after an alert.
  for (const each of [tcp, socket]) each.on('error', () => tcp.destroy());
  socket.on('data', (bytes: Buffer) => chunks.push(bytes));
  const ended = new Promise<void>((resolve) => tcp.once('close', () => resolve()));
  await Promise.race([new Promise((resolve) => socket.once('secureConnect', resolve)), ended]);
  return {
    socket,
    send: (...bytes) => void (socket.writable && socket.write(Buffer.concat(bytes))),
    received: () => Buffer.concat(chunks),
    ended,
    probe: () => {
      // A side that has closed answers with a reset; a side that has only ended accepts it.
      if (!tcp.destroyed && !socket.writableEnded)
        socket.write(rawFrame({ type: frameTypes.ping, payload: Buffer.alloc(8) }));
      return tcp.closed;
    },
    reset: () => void tcp.resetAndDestroy(),
  };
}

/** The types of the received frames. */
export function typesIn(bytes: Buffer): number[] {
  const types: number[] = [];
  for (let at = 0; at + 9 <= bytes.length; at += 9 + bytes.readUIntBE(at, 3))
    types.push(bytes.readUInt8(at + 3));
  return types;
}
