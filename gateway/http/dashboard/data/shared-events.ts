import { type ReadonlySignal, signal } from '@preact/signals';
import { ApiError, type Client, type WatchedEvent } from '../../../../src/http-api/client.ts';

/** `lost`: the gateway does not answer, and it is tried again and again. */
export type Connection = 'connecting' | 'connected' | 'lost';

/** What changes, told to every page of this browser over one stream: HTTP/1.1 has six connections for all of them. */
export interface SharedEvents {
  readonly connection: ReadonlySignal<Connection>;
  /** The listener hears `reset` if events were missed: it has to ask for its list again. Answers how to stop. */
  readonly listen: (listener: (event: Heard) => void) => () => void;
  readonly close: () => void;
}

export type Heard = WatchedEvent | { readonly type: 'reset' };

type Message =
  | { readonly kind: 'event'; readonly event: Heard }
  | { readonly kind: 'connection'; readonly connection: Connection; readonly last: string }
  /** From a page that has just opened. */
  | { readonly kind: 'hello' }
  /** The browser has no session any more. */
  | { readonly kind: 'out' };

export interface SharedEventsParts {
  readonly client: () => Client;
  readonly end: (why: string) => void;
}

/** More than two of the comments that the gateway sends every 15 s. */
const silenceMs = 40_000;

/**
 * One page holds the lock, reads the stream and tells the others. When it goes, the lock goes to another one, which
 * goes on behind the last event that was told.
 */
export function createSharedEvents({ client, end }: SharedEventsParts): SharedEvents {
  const connection = signal<Connection>('connecting');
  const listeners = new Set<(event: Heard) => void>();
  const channel = new BroadcastChannel('clawrden-events');
  const closed = new AbortController();
  let [last, leads] = ['', false];
  const hear = (event: Heard) => {
    if ('id' in event) last = event.id;
    for (const listener of listeners) listener(event);
  };
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel is of one origin
  const tell = (message: Message) => channel.postMessage(message);
  const tellState = () => tell({ kind: 'connection', connection: connection.peek(), last });
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (data.kind === 'hello') return leads ? tellState() : undefined;
    if (data.kind === 'out') return end('Your session has ended.');
    if (data.kind === 'event') return hear(data.event);
    [connection.value, last] = [data.connection, data.last];
  });
  tell({ kind: 'hello' });
  const read = async () => {
    leads = true;
    const set = (next: Connection) => {
      if (connection.peek() === next) return;
      connection.value = next;
      tellState();
    };
    const share = (event: Heard) => {
      hear(event);
      tell({ kind: 'event', event });
    };
    while (!closed.signal.aborted) {
      const isOut = await readOnce({ client: client(), last, set, share, closed: closed.signal });
      if (isOut) {
        tell({ kind: 'out' });
        return end('Your session has ended.');
      }
    }
  };
  navigator.locks.request('clawrden-events', { signal: closed.signal }, read).catch(() => {});
  return {
    connection,
    listen: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close: () => {
      closed.abort();
      channel.close();
    },
  };
}

interface Reading {
  readonly client: Client;
  readonly last: string;
  readonly set: (connection: Connection) => void;
  readonly share: (event: Heard) => void;
  readonly closed: AbortSignal;
}

/** Until the stream is silent for too long, or the session has ended, which it answers. */
async function readOnce({ client, last, set, share, closed }: Reading): Promise<boolean> {
  const silent = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isNew = last === '';
  const sign = (isThere: boolean) => {
    clearTimeout(timer);
    if (!isThere) return set('lost');
    timer = setTimeout(() => silent.abort(), silenceMs);
    set('connected');
    // What happened before the stream began was told to nobody.
    if (isNew) share({ type: 'reset' });
    isNew = false;
  };
  const over = AbortSignal.any([closed, silent.signal]);
  try {
    for await (const event of client.watch({}, { signal: over, after: last, onSign: sign })) share(event);
  } catch (error) {
    if (error instanceof ApiError && error.problem.status === 401) return true;
    if (!closed.aborted) set('lost');
    // Refused for another reason: not at once again.
    if (error instanceof ApiError) await new Promise((resolve) => void setTimeout(resolve, 5000));
  } finally {
    clearTimeout(timer);
  }
  return false;
}
