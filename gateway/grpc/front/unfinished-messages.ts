import { constants, type ServerHttp2Stream } from 'node:http2';

/** Most bytes of incomplete messages over all connections; each connection is also bounded by itself. */
export interface UnfinishedMessages {
  /**
   * Watches a stream that grpc-js already reads, and reports what comes. Resets the stream if its peer, or all peers
   * together, hold too much, or if its messages are compressed: none of our clients compresses.
   */
  readonly watch: (stream: ServerHttp2Stream, peer: Held, heard: Heard) => void;
}

export interface Heard {
  readonly onContent: (bytes: number) => void;
  /** The message is complete. */
  readonly onMessage: (isFirst: boolean) => void;
}

export interface Held {
  unfinishedBytes: number;
}

/** 32 of the largest messages, over all connections of a peer. */
const perPeer = 64 * 1024 * 1024;
const inAll = 256 * 1024 * 1024;
const headerBytes = 5;

export function unfinishedMessages(): UnfinishedMessages {
  let all = 0;

  function watch(stream: ServerHttp2Stream, peer: Held, { onContent, onMessage }: Heard): void {
    const message = messageReader(onMessage);
    let held = 0;
    const hold = (bytes: number) => {
      all += bytes - held;
      peer.unfinishedBytes += bytes - held;
      held = bytes;
    };
    stream.on('data', (chunk: Buffer) => {
      onContent(chunk.length);
      const unfinished = message(chunk);
      hold(unfinished ?? 0);
      if (unfinished === undefined) stream.close(constants.NGHTTP2_PROTOCOL_ERROR);
      else if (peer.unfinishedBytes > perPeer || all > inAll)
        stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM);
    });
    stream.once('close', () => hold(0));
  }

  return { watch };
}

/**
 * Takes received bytes. Returns how much of the present message has come, `undefined` if one is compressed. Calls
 * `onMessage` when a message is complete.
 */
function messageReader(onMessage: Heard['onMessage']): (chunk: Buffer) => number | undefined {
  const header = Buffer.alloc(headerBytes);
  let come = 0;
  let heard = false;
  return (chunk) => {
    for (let at = 0; at < chunk.length; ) {
      if (come < headerBytes) {
        const taken = chunk.copy(header, come, at, at + headerBytes - come);
        at += taken;
        come += taken;
        if (header[0] !== 0) return undefined;
      }
      if (come < headerBytes) break;
      const taken = Math.min(headerBytes + header.readUInt32BE(1) - come, chunk.length - at);
      at += taken;
      come += taken;
      if (come < headerBytes + header.readUInt32BE(1)) break;
      come = 0;
      onMessage(!heard);
      heard = true;
    }
    return come;
  };
}
