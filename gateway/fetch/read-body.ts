import type { IncomingMessage } from 'node:http';
import { PassThrough, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate, type ZlibOptions } from 'node:zlib';
import { EgressError } from '../../src/egress/egress-error.ts';

export interface Body {
  readonly bytes: Buffer;
  /** There was more, which nobody read. */
  readonly isCut: boolean;
}

/** Decompressed. */
export const mostBytes = 2 * 1024 * 1024;
/** On the wire: what does not get smaller in so many bytes is no text. */
const mostWireBytes = 2 * mostBytes;
const silentMs = 10_000;

/** Reads until the end or `mostBytes`, whichever comes first; what is behind that is never decompressed. */
export async function readBody(answer: IncomingMessage, signal: AbortSignal): Promise<Body> {
  const kept: Buffer[] = [];
  let size = 0;
  const full = new AbortController();
  const keep = new PassThrough().on('data', (chunk: Buffer) => {
    kept.push(chunk);
    size += chunk.length;
    if (size > mostBytes) full.abort();
  });
  const encoding = (answer.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  const late = () => answer.destroy(new EgressError('late', `no byte came for ${silentMs / 1000} s`));
  const { socket } = answer;
  socket.setTimeout(silentMs, late);
  try {
    const until = AbortSignal.any([signal, full.signal]);
    await pipeline(answer, wireLimit(), decoderOf(encoding), keep, { signal: until });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (!full.signal.aborted) throw faultOf(error, encoding);
  }
  const bytes = Buffer.concat(kept);
  return { bytes: bytes.subarray(0, mostBytes), isCut: bytes.length > mostBytes };
}

function wireLimit(): Transform {
  let size = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      const isTooMuch = size > mostWireBytes;
      done(isTooMuch ? new EgressError('limit', `it is more than ${mostWireBytes} bytes`) : null, chunk);
    },
  });
}

/** What comes out of a few bytes is looked at a piece at a time. */
const pieces: ZlibOptions = { chunkSize: 65_536 };

function decoderOf(encoding: string): Transform {
  switch (encoding) {
    case 'identity':
    case '':
      return new PassThrough();
    case 'gzip':
    case 'x-gzip':
      return createGunzip(pieces);
    case 'deflate':
      return createInflate(pieces);
    case 'br':
      return createBrotliDecompress(pieces);
    default:
      throw new EgressError('invalid', 'it is in an encoding that nobody asked for');
  }
}

function faultOf(error: unknown, encoding: string): EgressError {
  if (error instanceof EgressError) return error;
  const { code = '', message } = error as NodeJS.ErrnoException;
  const isBroken = code.startsWith('Z_') || code.startsWith('ERR_BROTLI') || code.startsWith('ERR__ERROR');
  const what = isBroken ? `it is no ${encoding}` : 'its answer was cut off';
  return new EgressError('unreachable', what, code || message);
}
