import type { Writable } from 'node:stream';

export interface BoundedWriter<T> {
  /**
   * Returns `undefined` if the caller may continue. Returns a promise if too many bytes are on their way; it resolves
   * when there are fewer, or when the peer is gone. `bytes` is the size of the message.
   */
  readonly write: (message: T, bytes: number) => Promise<void> | undefined;
  /** The peer is gone: every waiting writer continues, and later messages are dropped. */
  readonly release: () => void;
}

const limitBytes = 512 * 1024;
// The cost of a message without payload.
const messageBytes = 256;

/** Counts bytes. An object stream counts messages, whatever their size. */
export function boundedWriter<T>(stream: Writable): BoundedWriter<T> {
  let outstanding = 0;
  let released = false;
  let waiting: (() => void)[] = [];

  function wake(): void {
    const woken = waiting;
    waiting = [];
    for (const resume of woken) resume();
  }

  return {
    write: (message, bytes) => {
      if (released) return undefined;
      const cost = bytes + messageBytes;
      outstanding += cost;
      stream.write(message, () => {
        outstanding -= cost;
        if (outstanding <= limitBytes / 2) wake();
      });
      return outstanding > limitBytes ? new Promise((resolve) => waiting.push(resolve)) : undefined;
    },
    release: () => {
      released = true;
      wake();
    },
  };
}
