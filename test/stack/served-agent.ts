import { copyFile, mkdir, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { formatTold, type ToldAgent, toldPlaces } from '../../src/config/told-agents.ts';
import { nativeFile } from '../../src/native-file.ts';

export interface ServedAgent extends AsyncDisposable {
  readonly relayYaml: string;
  readonly state: string;
  readonly jail: string;
  readonly socketFolder: string;
}

export const agentUser = { uid: 1000, gid: 1000 };

/** What a relay that runs leaves on its host, in `dir`: relay.yaml, and what serves one agent. Nobody answers there. */
export async function makeServedAgent(
  dir: string,
  engine: string,
  told: Omit<ToldAgent, 'users'>,
  more: object = {},
): Promise<ServedAgent> {
  const agent: ToldAgent = { ...told, users: [agentUser] };
  const state = join(dir, 'state');
  const { agent: served, jail } = toldPlaces({ state }, agent);
  const socketFolder = join(served.socket, '..');
  for (const folder of [jail, socketFolder]) await mkdir(folder, { recursive: true });
  await copyFile(nativeFile('clawrden-shim'), join(jail, '.shim'));
  await symlink('.shim', join(jail, 'npm'));
  const server = await listenAt(served.socket);
  await writeFile(join(state, 'agents.json'), formatTold([agent]));
  const relayYaml = join(dir, 'relay.yaml');
  const keys = { gateway: 'localhost:1', identity: 'identity', state, docker: engine };
  await writeFile(relayYaml, stringify({ ...keys, ...more }));
  return {
    ...{ relayYaml, state, jail, socketFolder },
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function listenAt(path: string): Promise<Server> {
  const { promise, resolve, reject } = Promise.withResolvers<Server>();
  const server = createServer();
  server.once('error', reject).listen(path, () => resolve(server));
  return promise;
}
