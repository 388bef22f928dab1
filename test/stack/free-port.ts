import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';

/** Linux gives outgoing connections ports from 32768 on: one of those may be taken before it is listened on. */
const [lowest, highest] = [10_000, 32_767];
const triesAtMost = 50;

/** Different ports of the loopback that nothing listens on now. */
export async function freePorts(count: number): Promise<number[]> {
  const servers: Server[] = [];
  // Each is held until all are found: they are all used together.
  while (servers.length < count) servers.push(await listenSomewhere());
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  for (const server of servers) {
    server.close();
    await once(server, 'close');
  }
  return ports;
}

export async function freePort(): Promise<number> {
  const [port = 0] = await freePorts(1);
  return port;
}

async function listenSomewhere(): Promise<Server> {
  for (let tries = 1; ; tries += 1) {
    try {
      const server = createServer().listen(randomInt(lowest, highest + 1), '127.0.0.1');
      await once(server, 'listening');
      return server;
    } catch (error) {
      if (tries === triesAtMost) throw error;
    }
  }
}
