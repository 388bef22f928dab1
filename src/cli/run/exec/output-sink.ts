import { fstatSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { drained } from '../../../drained.ts';

/** This process's stdout or stderr. */
export interface OutputSink {
  /** `undefined`: continue. A promise: wait, because the reader is slow. */
  readonly write: (bytes: Uint8Array) => Promise<void> | undefined;
  /** Resolves when everything is written, or when the reader is gone. */
  readonly flush: () => Promise<void>;
}

/** Calls `onGone` once when the reader is gone; later output is dropped. */
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
      return drained(stream);
    },
    flush: () => Promise.race([new Promise<void>((resolve) => stream.write('', () => resolve())), gone]),
  };
}

/** Node writes to a pipe synchronously, so a reader that stalls would block signals too. */
function openStream(fd: 1 | 2): Writable {
  const stats = fstatSync(fd);
  if (stats.isFIFO() || stats.isSocket()) return new Socket({ fd, readable: false, writable: true });
  return fd === 1 ? process.stdout : process.stderr;
}
