import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { abortable } from '../../src/abort.ts';
import { EgressError } from '../../src/egress/egress-error.ts';
import { type Endpoint, endpointText, hostName } from '../../src/egress/endpoint.ts';
import { longestHello, readClientHello } from './client-hello.ts';

/** Nobody sends a hello byte by byte, and each look at it costs. */
const mostReads = 64;

/** `unrecognized_name`, fatal: a client can say what it was. */
export const unrecognizedName = Buffer.of(21, 3, 3, 0, 2, 2, 112);

/** The bytes of a TLS hello for `endpoint`, and what came with it. Throws `denied` if it is for another server, or none. */
export async function awaitHello(client: Duplex, endpoint: Endpoint, signal: AbortSignal): Promise<Buffer> {
  const to = endpointText(endpoint);
  let bytes = Buffer.alloc(0);
  for (let reads = 0; reads < mostReads && bytes.length <= longestHello; reads += 1) {
    const chunk = await nextChunk(client, signal);
    if (chunk === undefined) throw new EgressError('invalid', `${to}: it ended before its TLS hello`);
    bytes = Buffer.concat([bytes, chunk]);
    const hello = readClientHello(bytes);
    if (hello.is === 'invalid') break;
    if (hello.is === 'more') continue;
    if (isOf(hello.serverName, endpoint)) return bytes;
    const named = hello.serverName === undefined ? 'no server' : 'another server';
    throw new EgressError('denied', `${to}: its TLS hello names ${named}`, hello.serverName);
  }
  throw new EgressError('denied', `${to}: on port 443 only TLS is carried, and this is no TLS hello`);
}

/** A hello never names an address. */
function isOf(serverName: string | undefined, { name }: Endpoint): boolean {
  return isIP(name) !== 0
    ? serverName === undefined
    : serverName !== undefined && hostName(serverName) === name;
}

/** `undefined` at the end. */
async function nextChunk(stream: Duplex, signal: AbortSignal): Promise<Buffer | undefined> {
  for (;;) {
    const chunk = stream.read() as Buffer | null;
    if (chunk !== null) return chunk;
    if (stream.readableEnded || stream.destroyed) return undefined;
    await untilChanged(stream, signal);
  }
}

/** There may be something to read, or nothing more comes. */
async function untilChanged(stream: Duplex, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const events = ['readable', 'end', 'close'];
  for (const event of events) stream.once(event, resolve);
  try {
    await abortable(promise, signal);
  } finally {
    for (const event of events) stream.off(event, resolve);
  }
}
