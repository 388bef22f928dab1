import type { Server } from 'node:net';
import { listenAt, type SocketFile } from './socket-file.ts';

const lookEveryMs = 1000;

export interface KeptSocket {
  /** Stops checking, and removes the socket if it is its own. */
  readonly close: () => Promise<void>;
}

/**
 * Like `listenAt`, and keeps the path leading to `server`: if the path leads elsewhere or nowhere, it makes the
 * socket again. It calls `told` with a line for each such finding, and for each failure to mend it. Open connections
 * stay.
 */
export async function keepSocket(
  server: Server,
  path: string,
  guard: (server: Server) => void,
  told: (text: string) => void,
): Promise<KeptSocket> {
  let socket: SocketFile | undefined = await listenAt(server, path, guard);
  let complaint = '';
  const makeAnew = async () => {
    socket = undefined;
    server.close();
    socket = await listenAt(server, path, guard);
    complaint = '';
  };
  const look = async () => {
    if (await socket?.isThere()) return;
    const found = socket === undefined ? '' : `the socket ${path} was removed or replaced`;
    const error = await makeAnew().then(() => undefined, messageOf);
    if (error === undefined) told(`${found === '' ? `the socket ${path}` : `${found}, and`} was made again`);
    else if (error !== complaint)
      told(`${found === '' ? '' : `${found}; `}nothing is served there: ${error}`);
    complaint = error ?? '';
  };
  let looking: Promise<void> | undefined;
  const timer = setInterval(() => {
    looking ??= look().finally(() => {
      looking = undefined;
    });
  }, lookEveryMs);
  return {
    close: async () => {
      clearInterval(timer);
      await looking;
      server.close();
      await socket?.remove();
    },
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
