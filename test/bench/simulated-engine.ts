import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { openNativeFiles } from '../../gateway/docker/init/native-files.ts';
import { createOpenEngine } from '../../gateway/docker/open-engine.ts';
import type { Engine } from '../../gateway/ports/engine.ts';

export interface SimulatedEngine extends AsyncDisposable {
  readonly engine: Engine;
}

/**
 * A server that answers like the Engine API about an image, after `latencyMs`, and the gateway's own client of it.
 */
export async function simulatedEngine(
  dir: string,
  name: string,
  latencyMs: number,
  imageId: string,
): Promise<SimulatedEngine> {
  const server = createServer(({ url = '' }, response) =>
    setTimeout(answer, latencyMs, url, response, imageId),
  );
  const socket = join(dir, `${name}.sock`);
  await once(server.listen(socket), 'listening');
  const open = createOpenEngine('bench', openNativeFiles(), { warn: () => {} });
  const engine = open({ name, engine: `unix://${socket}` });
  return {
    engine,
    [Symbol.asyncDispose]: async () => {
      engine.close();
      server.close();
      server.closeAllConnections();
    },
  };
}

function answer(url: string, response: ServerResponse, imageId: string): void {
  const known = /\/images\/.+\/json$/.test(url);
  response.writeHead(known ? 200 : 404, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(known ? { Id: imageId, RepoDigests: [], Config: {} } : { message: 'none' }));
}
