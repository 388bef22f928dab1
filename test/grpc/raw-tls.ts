import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { readIdentity } from '../../src/pki/identity-files.ts';
import { u16 } from './raw-http2.ts';

// TLS 1.3 (RFC 8446) as records, because no library lets a test send every record that it wants. One cipher suite, one
// group, and the server is not checked.

export const recordTypes = { changeCipherSpec: 20, alert: 21, handshake: 22, data: 23 } as const;
const { changeCipherSpec, handshake, data } = recordTypes;

const messageTypes = { clientHello: 1, certificateRequest: 13, certificate: 11, verify: 15, finished: 20 };
const suite = 0x1301;

type Bytes = Buffer;

const u24 = (value: number) => Buffer.from([value >>> 16, (value >>> 8) & 0xff, value & 0xff]);
const in8 = (bytes: Uint8Array) => Buffer.concat([Buffer.from([bytes.length]), bytes]);
const in16 = (bytes: Uint8Array) => Buffer.concat([u16(bytes.length), bytes]);
const in24 = (bytes: Uint8Array) => Buffer.concat([u24(bytes.length), bytes]);
const message = (type: number, body: Uint8Array) => Buffer.concat([Buffer.from([type]), in24(body)]);
const extension = (type: number, body: Uint8Array) => Buffer.concat([u16(type), in16(body)]);
const plainRecord = (type: number, body: Uint8Array) =>
  Buffer.concat([Buffer.from([type, 3, 3]), in16(body)]);

const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();
const hmac = (key: Uint8Array, bytes: Uint8Array) => createHmac('sha256', key).update(bytes).digest();
const zeros = Buffer.alloc(32);

function expand(secret: Uint8Array, label: string, context: Uint8Array, length: number): Bytes {
  const info = Buffer.concat([u16(length), in8(Buffer.from(`tls13 ${label}`)), in8(context)]);
  return hmac(secret, Buffer.concat([info, Buffer.from([1])])).subarray(0, length);
}
const derive = (secret: Uint8Array, label: string, transcript: Uint8Array) =>
  expand(secret, label, digest(transcript), 32);

/** The keys of one direction. */
export class Keys {
  #secret: Bytes;
  #key: Bytes = zeros;
  #iv: Bytes = zeros;
  #count = 0;

  constructor(secret: Bytes) {
    this.#secret = secret;
    this.#take(secret);
  }

  get secret(): Bytes {
    return this.#secret;
  }

  update(): void {
    this.#take(expand(this.#secret, 'traffic upd', Buffer.alloc(0), 32));
  }

  seal(type: number, content: Uint8Array): Bytes {
    const header = Buffer.concat([Buffer.from([data, 3, 3]), u16(content.length + 17)]);
    const cipher = createCipheriv('aes-128-gcm', this.#key, this.#nonce()).setAAD(header);
    const sealed = cipher.update(Buffer.concat([content, Buffer.from([type])]));
    return Buffer.concat([header, sealed, cipher.final(), cipher.getAuthTag()]);
  }

  /** Content without its type. */
  open(record: Bytes): Bytes {
    const cipher = createDecipheriv('aes-128-gcm', this.#key, this.#nonce()).setAAD(record.subarray(0, 5));
    cipher.setAuthTag(record.subarray(-16));
    const content = Buffer.concat([cipher.update(record.subarray(5, -16)), cipher.final()]);
    return content.subarray(
      0,
      content.findLastIndex((byte) => byte !== 0),
    );
  }

  #take(secret: Bytes): void {
    this.#secret = secret;
    this.#key = expand(secret, 'key', Buffer.alloc(0), 16);
    this.#iv = expand(secret, 'iv', Buffer.alloc(0), 12);
    this.#count = 0;
  }

  #nonce(): Bytes {
    const nonce = Buffer.from(this.#iv);
    nonce.writeUInt32BE((nonce.readUInt32BE(8) ^ this.#count) >>> 0, 8);
    this.#count += 1;
    return nonce;
  }
}

function clientHello(publicKey: Uint8Array, paddingBytes: number, protocol: string): Bytes {
  const extensions = [
    extension(43, in8(u16(0x0304))),
    extension(10, in16(u16(0x001d))),
    extension(13, in16(Buffer.concat([u16(0x0403), u16(0x0804), u16(0x0807)]))),
    extension(51, in16(Buffer.concat([u16(0x001d), in16(publicKey)]))),
    extension(16, in16(in8(Buffer.from(protocol)))),
    ...(paddingBytes > 0 ? [extension(21, Buffer.alloc(paddingBytes))] : []),
  ];
  const start = [u16(0x0303), randomBytes(32), in8(Buffer.alloc(0)), in16(u16(suite)), in8(Buffer.from([0]))];
  return message(messageTypes.clientHello, Buffer.concat([...start, in16(Buffer.concat(extensions))]));
}

/** The public key in the server's key_share. */
function shareIn(serverHello: Bytes): Bytes {
  let at = 4 + 2 + 32;
  at += 1 + serverHello.readUInt8(at) + 2 + 1 + 2;
  while (serverHello.readUInt16BE(at) !== 51) at += 4 + serverHello.readUInt16BE(at + 2);
  return serverHello.subarray(at + 8, at + 8 + serverHello.readUInt16BE(at + 6));
}

/** Whole records, one after the other. */
async function* records(socket: Socket): AsyncGenerator<Bytes> {
  let bytes: Bytes = Buffer.alloc(0);
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    bytes = Buffer.concat([bytes, chunk as Buffer]);
    while (bytes.length >= 5 && bytes.length >= 5 + bytes.readUInt16BE(3)) {
      const length = 5 + bytes.readUInt16BE(3);
      yield bytes.subarray(0, length);
      bytes = bytes.subarray(length);
    }
  }
}

export interface RawTls {
  readonly socket: Socket;
  /** Encrypts one record; send it in this order. */
  readonly seal: (content: Uint8Array, type?: number) => Buffer;
  /** One key update; in `pieces` records, if given. */
  readonly keyUpdate: (asksForOne: boolean, pieces?: number) => Buffer;
  readonly ended: Promise<void>;
}

export interface RawTlsOptions {
  readonly port: number;
  readonly identityDir?: string;
  /** How many bytes of a handshake message go into one record. */
  readonly fragmentBytes?: number;
  readonly paddingBytes?: number;
  /** `h2` if absent. */
  readonly protocol?: string;
  /** Of this machine, from which it connects. */
  readonly from?: string;
}

function* pieces(bytes: Bytes, size: number): Generator<Bytes> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function clientFlight(identityDir: string | undefined, transcript: Bytes): Promise<Bytes[]> {
  if (identityDir === undefined) return [];
  const { certificate, key } = await readIdentity(identityDir);
  const { raw } = new X509Certificate(certificate);
  const list = in24(Buffer.concat([in24(raw), u16(0)]));
  const own = message(messageTypes.certificate, Buffer.concat([Buffer.from([0]), list]));
  const what = Buffer.from(`${' '.repeat(64)}TLS 1.3, client CertificateVerify\0`);
  const signed = Buffer.concat([what, digest(Buffer.concat([transcript, own]))]);
  const verify = Buffer.concat([u16(0x0403), in16(sign('sha256', signed, key))]);
  return [own, message(messageTypes.verify, verify)];
}

/** Rejects if the server ends the connection before its Finished. */
export async function connectRawTls(options: RawTlsOptions): Promise<RawTls> {
  const { port, identityDir, fragmentBytes = 16_384, paddingBytes = 0, protocol = 'h2', from } = options;
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, localAddress: from });
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.on('error', () => {});
  await once(socket, 'connect');
  const { privateKey, publicKey } = generateKeyPairSync('x25519');
  const hello = clientHello(
    publicKey.export({ type: 'spki', format: 'der' }).subarray(-32),
    paddingBytes,
    protocol,
  );
  socket.write(Buffer.concat([...pieces(hello, fragmentBytes)].map((part) => plainRecord(handshake, part))));
  const incoming = records(socket);
  const next = async (): Promise<Bytes> => {
    // A server that ends it before it read everything resets the connection.
    const { value, done } = await incoming.next().catch(() => ({ value: undefined, done: true as const }));
    if (done === true) throw new Error('the server ended the handshake');
    return value[0] === changeCipherSpec ? await next() : value;
  };
  const serverHello = (await next()).subarray(5);
  const spki = Buffer.concat([Buffer.from('302a300506032b656e032100', 'hex'), shareIn(serverHello)]);
  const shared = diffieHellman({
    privateKey,
    publicKey: createPublicKey({ key: spki, format: 'der', type: 'spki' }),
  });
  const none = Buffer.alloc(0);
  const secret = hmac(derive(hmac(zeros, zeros), 'derived', none), shared);
  const hellos = Buffer.concat([hello, serverHello]);
  const theirs = new Keys(derive(secret, 's hs traffic', hellos));
  const ours = new Keys(derive(secret, 'c hs traffic', hellos));
  let flight: Bytes = none;
  while (!endsWithFinished(flight)) flight = Buffer.concat([flight, theirs.open(await next())]);
  const before = Buffer.concat([hellos, flight]);
  const master = hmac(derive(secret, 'derived', none), zeros);
  const own = Buffer.concat(await clientFlight(identityDir, before));
  const sealed = [...pieces(own, fragmentBytes)].map((part) => ours.seal(handshake, part));
  const finishedKey = expand(ours.secret, 'finished', none, 32);
  const finished = message(messageTypes.finished, hmac(finishedKey, digest(Buffer.concat([before, own]))));
  socket.write(Buffer.concat([...sealed, ours.seal(handshake, finished)]));
  // As long as the iterator lives, nothing else can read.
  await incoming.return(undefined);
  socket.resume();
  const keys = new Keys(derive(master, 'c ap traffic', before));
  return {
    socket,
    ended,
    seal: (content, type = data) => keys.seal(type, content),
    keyUpdate: (asksForOne, count = 1) => {
      const update = message(24, Buffer.from([asksForOne ? 1 : 0]));
      const parts = [...pieces(update, Math.ceil(update.length / count))];
      const bytes = Buffer.concat(parts.map((part) => keys.seal(handshake, part)));
      keys.update();
      return bytes;
    },
  };
}

function endsWithFinished(flight: Bytes): boolean {
  for (let at = 0; at + 4 <= flight.length; at += 4 + flight.readUIntBE(at + 1, 3))
    if (flight[at] === messageTypes.finished) return true;
  return false;
}
