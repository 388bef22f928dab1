import { fstatSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Writable } from 'node:stream';

/** This process's stdout or stderr. */
export interface OutputSink {
  /** `undefined` means go on; a promise means wait: whoever reads is slow. */
  readonly write: (bytes: Uint8Array) => Promise<void> | undefined;
  /** Resolves when everything is written, or nobody reads any more. */
  readonly flush: () => Promise<void>;
}

/** `onGone` is called once, when nobody reads any more; what is written after that is dropped. */
export function openSink(fd: 1 | 2, onGone: () => void): OutputSink {
  const stream = openStream(fd);
  const gone = new Promise<void>((resolve) => {
    stream.on('error', () => {
      resolve();
      onGone();
    });
  });
  return {
    write: (bytes) => {
      if (stream.destroyed || stream.write(bytes)) return undefined;
      return Promise.race([new Promise<void>((resolve) => stream.once('drain', () => resolve())), gone]);
    },
    flush: () => Promise.race([new Promise<void>((resolve) => stream.write('', () => resolve())), gone]),
  };
}

/** Node writes to a pipe synchronously: a reader that stalls would stop signals too. */
function openStream(fd: 1 | 2): Writable {
  const stats = fstatSync(fd);
  if (stats.isFIFO() || stats.isSocket()) return new Socket({ fd, readable: false, writable: true });
  return fd === 1 ? process.stdout : process.stderr;
}
