import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';

/** A connection to the way out, as a client of it makes one. */
export function openDoor(folder: string, name = 'door.sock'): Socket {
  const socket = connect({ path: join(folder, name), allowHalfOpen: true });
  socket.on('error', () => {});
  return socket;
}

/** Everything that is answered to `bytes`. */
export async function sayAtDoor(folder: string, bytes: string | Buffer, name?: string): Promise<string> {
  const socket = openDoor(folder, name);
  socket.write(bytes);
  const answer = await buffer(socket);
  // The other side reads on for a moment.
  socket.destroy();
  return answer.toString('latin1');
}
