import { WebSocket } from 'ws';
import { z } from 'zod';
import { onAbort } from '../../../src/abort.ts';
import { judgedLookup } from '../../../src/egress/judged-lookup.ts';
import { onManyHints } from '../../../src/no-answer.ts';
import { GuardedAgent } from '../../../src/tls/guarded-agent.ts';
import { type TokenBucket, tokenBucket } from '../../../src/token-bucket.ts';

/** Why a connection is over. `soon`: Slack wants another one at once. */
export interface SocketEnd {
  readonly why: string;
  readonly soon: boolean;
}

export interface SocketParts {
  /** Whether it may be at an address that is not public. */
  readonly mayBePrivate: boolean;
  /** Slack has said hello. */
  readonly opened: () => void;
  /** Of an envelope that is acknowledged. */
  readonly received: (payload: unknown) => void;
  /** Of all connections together. */
  readonly pace: SocketPace;
  readonly signal: AbortSignal;
}

export interface SocketPace {
  readonly messages: TokenBucket;
  readonly bytes: TokenBucket;
}

const handshakeMs = 10_000;
/** Slack pings, and so do we: if nothing comes for so long, nobody is there. */
const [pingMs, silentMs] = [15_000, 45_000];
/** A connection that Slack will close brings envelopes until then, beside the next one. */
const overlapMs = 10_000;
/** A press brings its message along. */
const payloadBytes = 256 * 1024;
/** A press or an order is one message. Ten times as many, and sixteen times as much, may come at once. */
const [messagesPerSecond, bytesPerSecond] = [50, 128 * 1024];
const flooded: SocketEnd = {
  why: 'it brought far more than people write: the connection was closed',
  soon: false,
};

const shapes = {
  message: z.object({ type: z.string(), reason: z.string().max(100).optional() }),
  envelope: z.object({ envelope_id: z.string().min(1).max(200), payload: z.unknown() }),
};

export function newSocketPace(): SocketPace {
  return {
    messages: tokenBucket(messagesPerSecond, undefined, 10 * messagesPerSecond),
    bytes: tokenBucket(bytesPerSecond, undefined, 16 * bytesPerSecond),
  };
}

/** One connection of Socket Mode; resolves when another one is needed. */
export function serveSocket(
  url: string,
  { mayBePrivate, opened, received, pace, signal }: SocketParts,
): Promise<SocketEnd> {
  const socket = new WebSocket(url, {
    lookup: judgedLookup(mayBePrivate),
    ...{ handshakeTimeout: handshakeMs, maxPayload: payloadBytes },
    ...{ perMessageDeflate: false, followRedirects: false },
    // One message in a turn: after the last one that is taken no other is looked at.
    allowSynchronousEvents: false,
    finishRequest: (request) => {
      onManyHints(request, (does) => request.destroy(new Error(`Slack ${does}`)));
      request.end();
    },
    ...(url.startsWith('wss:') && { agent: new GuardedAgent() }),
  });
  return new Promise((resolve) => {
    let lastAt = performance.now();
    const heard = ({ length }: Buffer): boolean => {
      lastAt = performance.now();
      if (socket.readyState !== WebSocket.OPEN) return false;
      if (pace.messages.take(1) && pace.bytes.take(length)) return true;
      resolve(flooded);
      socket.terminate();
      return false;
    };
    const beat = setInterval(() => {
      if (performance.now() - lastAt > silentMs) socket.terminate();
      else if (socket.readyState === WebSocket.OPEN) socket.ping();
    }, pingMs).unref();
    const aborted = onAbort(signal, () => socket.terminate());
    socket.on('ping', heard);
    socket.on('pong', heard);
    socket.on('message', (data: Buffer, isBinary) => {
      if (!heard(data)) return;
      const said = isBinary ? undefined : jsonOf(data.toString('utf8'));
      const { type = '', reason = '' } = shapes.message.safeParse(said).data ?? {};
      if (type === 'hello') opened();
      if (type === 'disconnect') {
        setTimeout(() => socket.terminate(), overlapMs).unref();
        resolve(endOf(reason));
      }
      const envelope = shapes.envelope.safeParse(said).data;
      if (envelope === undefined) return;
      // First: Slack wants this within 3 s, whatever comes of it.
      socket.send(JSON.stringify({ envelope_id: envelope.envelope_id }));
      received(envelope.payload);
    });
    // What failed says so; the end of the connection comes behind it.
    socket.on('error', ({ message }) => resolve({ why: message, soon: false }));
    socket.on('close', () => {
      clearInterval(beat);
      aborted[Symbol.dispose]();
      resolve({ why: 'the connection was closed', soon: false });
    });
  });
}

/** `warning` and `refresh_requested` are said before a connection is replaced; the others ask for patience. */
function endOf(reason: string): SocketEnd {
  return {
    why: `Slack closes the connection: ${reason}`,
    soon: ['warning', 'refresh_requested'].includes(reason),
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
