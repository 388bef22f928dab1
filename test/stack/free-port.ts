import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Linux gives outgoing connections ports from 32768 on: one of those may be taken before it is listened on. */
const [lowest, highest] = [10_000, 32_767];
const triesAtMost = 50;

/** A port of the loopback that nothing listens on now. */
export async function freePort(): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    const port = randomInt(lowest, highest + 1);
    try {
      const server = createServer().listen(port, '127.0.0.1');
      await once(server, 'listening');
      server.close();
      await once(server, 'close');
      return port;
    } catch (error) {
      if (tries === triesAtMost) throw error;
    }
  }
}
