import type { EventEmitter } from 'node:events';

/** Resolves when `stream` takes more, or emits `end`, after which it never will. */
export function drained(stream: EventEmitter, end: string): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      stream.off('drain', done);
      stream.off(end, done);
      resolve();
    };
    stream.on('drain', done);
    stream.on(end, done);
  });
}
