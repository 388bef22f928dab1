import { closeSync, constants, fstatSync, openSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';

/** Stderr of this process, to be written to without ever waiting for its reader. */
export interface Stderr extends Disposable {
  /** How much of it was taken now. Nothing, if the reader has stalled or the disk is full. */
  readonly take: (bytes: Buffer) => number;
  /** Tries until all of it was taken, at most for so long; returns how much was. It holds up the whole process. */
  readonly takeWithin: (bytes: Buffer, ms: number) => number;
}

const stderrFd = 2;
const pauseMs = 10;

export function openStderr(): Stderr {
  const fd = openWithoutWaiting();
  const take = (bytes: Buffer): number => {
    try {
      return writeSync(fd, bytes);
    } catch {
      // EAGAIN; or a full disk, or nobody reads it, which may both change.
      return 0;
    }
  };
  return {
    take,
    takeWithin: (bytes, ms) => takeWithin(take, bytes, ms),
    [Symbol.dispose]: () => {
      if (fd !== stderrFd) closeSync(fd);
    },
  };
}

function takeWithin(take: Stderr['take'], bytes: Buffer, ms: number): number {
  const until = performance.now() + ms;
  const never = new Int32Array(new SharedArrayBuffer(4));
  for (let taken = 0; ; Atomics.wait(never, 0, 0, pauseMs)) {
    taken += take(bytes.subarray(taken));
    if (taken === bytes.length || performance.now() >= until) return taken;
  }
}

/**
 * A pipe and a terminal are opened once more: whether one waits for the reader is of each opening, and others may share
 * the one that we got. If that cannot be done, and of a socket, the shared one is set not to wait. A file never waits
 * for a reader.
 */
function openWithoutWaiting(): number {
  const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
  try {
    const kind = fstatSync(stderrFd);
    if (kind.isFile()) return stderrFd;
    if (!kind.isSocket()) return openSync(`/proc/self/fd/${stderrFd}`, O_WRONLY | O_NONBLOCK | O_NOCTTY);
  } catch {}
  try {
    // Opening it sets that; it is never written to.
    new Socket({ fd: stderrFd, readable: false }).unref();
  } catch {}
  return stderrFd;
}
