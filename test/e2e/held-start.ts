import { createConnection, createServer, type Socket } from 'node:net';

export interface HeldStart extends AsyncDisposable {
  /** Lets answers about starts through from now on. */
  readonly letGo: () => void;
}

/** An engine at the socket `path`: the one at `behind`, but for its answers about starts of containers, which are held back. */
export async function holdStart(path: string, behind: string): Promise<HeldStart> {
  const released = Promise.withResolvers<void>();
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = createConnection(behind);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => [near, far].forEach((each) => void each.destroy()));
      socket.on('close', () => sockets.delete(socket));
    }
    near.pipe(far);
    near.once('data', (head) => {
      if (!/^POST \/containers\/\w+\/start /.test(String(head))) far.pipe(near);
      else void released.promise.then(() => far.pipe(near));
    });
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve));
  return {
    letGo: released.resolve,
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
