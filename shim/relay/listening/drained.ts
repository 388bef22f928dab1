import type { Socket } from 'node:net';

/** Resolves when `socket` takes more, or is closed and never will. */
export function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      socket.off('drain', done).off('close', done);
      resolve();
    };
    socket.on('drain', done).on('close', done);
  });
}
