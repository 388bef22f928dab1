import type { Writable } from 'node:stream';

const ends = ['drain', 'close', 'error'] as const;

/** Resolves when `stream` accepts more bytes, or never will. */
export function drained(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      for (const end of ends) stream.off(end, done);
      resolve();
    };
    for (const end of ends) stream.on(end, done);
  });
}
