import type { Server, Socket } from 'node:net';

/** Node has no public way to it. Throws if this one disappears, or the socket is closed. */
export function descriptorOf(open: Socket | Server): number {
  const fd = (open as (Socket | Server) & { _handle?: { fd?: number } | null })._handle?.fd;
  if (fd === undefined || fd < 0) throw new Error('the socket has no descriptor any more');
  return fd;
}
