import type { Writable } from 'node:stream';

export interface BoundedWriter<T> {
  /**
   * `undefined` means go on; a promise means that too much is on its way, and resolves when it is less or the peer is
   * gone. `bytes` is what the message weighs.
   */
  readonly write: (message: T, bytes: number) => Promise<void> | undefined;
  /** The peer is gone: nobody waits any more, and what is written is dropped. */
  readonly release: () => void;
}

const limitBytes = 512 * 1024;
// What a message costs that carries nothing.
const messageBytes = 256;

/** Counts bytes, where an object stream counts messages of whatever size. */
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
