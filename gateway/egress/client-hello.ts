/** What a TLS client says first. `more`: it is not all there. */
export type ClientHello =
  | { readonly is: 'more' }
  | { readonly is: 'invalid' }
  | { readonly is: 'whole'; readonly serverName: string | undefined };

const more = { is: 'more' } as const;
const invalid = { is: 'invalid' } as const;

const longestRecord = 16_384;
/** A hello with keys of every new kind has 2 KiB, in one record or two. */
export const longestHello = 16_384;
const mostRecords = 32;
const [handshake, clientHello, serverNameExtension, hostNameType] = [22, 1, 0, 0];

/** Reads the server's name, however the hello is cut into records. What is behind the hello does not count. */
export function readClientHello(bytes: Buffer): ClientHello {
  const parts: Buffer[] = [];
  let size = 0;
  for (let at = 0; at < bytes.length; ) {
    if (parts.length === mostRecords) return invalid;
    const length = recordLength(bytes, at);
    if (length === undefined) return invalid;
    const part = bytes.subarray(at + 5, at + 5 + length);
    parts.push(part);
    size += part.length;
    const hello = readMessage(Buffer.concat(parts, size));
    if (hello.is !== 'more' || at + 5 + length > bytes.length) return hello;
    at += 5 + length;
  }
  return more;
}

/** 0 if not enough of the record is there; `undefined` if it is no record of a handshake. */
function recordLength(bytes: Buffer, at: number): number | undefined {
  const [type, major] = [bytes[at], bytes[at + 1] ?? 3];
  if (type !== handshake || major !== 3) return undefined;
  if (bytes.length < at + 5) return 0;
  const length = bytes.readUInt16BE(at + 3);
  return length === 0 || length > longestRecord ? undefined : length;
}

function readMessage(message: Buffer): ClientHello {
  if (message.length > 0 && message[0] !== clientHello) return invalid;
  if (message.length < 4) return more;
  const length = message.readUIntBE(1, 3);
  if (length > longestHello) return invalid;
  if (message.length < 4 + length) return more;
  const names = serverNames(new Reader(message.subarray(4, 4 + length)));
  const [serverName] = names ?? [''];
  return names === undefined || names.length > 1 || serverName === '' ? invalid : { is: 'whole', serverName };
}

/** `undefined` if it is no hello. */
function serverNames(hello: Reader): string[] | undefined {
  hello.take(2 + 32);
  for (const width of [1, 2, 1]) hello.vector(width);
  if (hello.isAtEnd) return [];
  const extensions = new Reader(hello.vector(2));
  const names: string[] = [];
  while (!extensions.isAtEnd && extensions.isFine) {
    const type = extensions.number(2);
    const extension = new Reader(extensions.vector(2));
    if (type !== serverNameExtension) continue;
    names.push(...namesIn(extension));
    if (!extension.isFine || !extension.isAtEnd) return undefined;
  }
  return hello.isFine && hello.isAtEnd && extensions.isFine ? names : undefined;
}

function namesIn(extension: Reader): string[] {
  const list = new Reader(extension.vector(2));
  const names: string[] = [];
  while (!list.isAtEnd && list.isFine) {
    const type = list.number(1);
    const name = list.vector(2).toString('latin1');
    // There has never been another type, and a server might take it for a name: it is as bad as an empty one.
    names.push(type === hostNameType && list.isFine ? name : '');
  }
  return names.length === 0 ? [''] : names;
}

/** Reads until something is missing; then it reads nothing, and is not fine. */
class Reader {
  readonly #bytes: Buffer;
  #at = 0;
  isFine = true;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  take(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.#bytes.length) this.isFine = false;
    if (!this.isFine) return Buffer.alloc(0);
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }

  number(width: number): number {
    const taken = this.take(width);
    return taken.length === width ? taken.readUIntBE(0, width) : 0;
  }

  vector(width: number): Buffer {
    return this.take(this.number(width));
  }
}
