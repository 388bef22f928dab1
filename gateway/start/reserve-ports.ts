import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import type { ListenAddress } from '../../src/config/gateway-config.ts';

/** Addresses that no other process can take. A client that connects meanwhile is refused and tries again. */
export interface ReservedPorts {
  /** Frees the ports for their servers, which bind them at once. */
  readonly release: () => Promise<void>;
}

/** By the key of gateway.yaml that names each. Rejects with a line for people if one of them is taken. */
export async function reservePorts(wanted: Readonly<Record<string, ListenAddress>>): Promise<ReservedPorts> {
  const servers: Server[] = [];
  const release = async () => void (await Promise.all(servers.splice(0).map(close)));
  try {
    for (const [key, address] of Object.entries(wanted)) servers.push(await reserve(key, address));
  } catch (error) {
    await release();
    throw error;
  }
  return { release };
}

async function reserve(key: string, { host, port }: ListenAddress): Promise<Server> {
  const server = createServer((socket) => socket.destroy());
  try {
    server.listen({ host, port });
    await once(server, 'listening');
    return server;
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code === 'EADDRINUSE' ? 'is taken' : 'cannot be had';
    throw new Error(`the address ${host}:${port} of ${key} ${why} (${(error as Error).message})`, {
      cause: error,
    });
  }
}

async function close(server: Server): Promise<void> {
  server.close();
  await once(server, 'close');
}
