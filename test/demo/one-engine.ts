import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { attempt } from '../lab/command.ts';
import { checkout } from '../lab/names.ts';
import type { Machines } from '../stack/machines.ts';

/** The image for the demo on an engine outside of the lab: it has node, npm, curl and a shell. */
export const publicImage = 'node:24';

export interface OneEngine extends Machines {
  readonly stop: () => Promise<void>;
}

/**
 * Without root the demo cannot start engines: the engine that this user reaches is both agent host and Docker host.
 */
export async function reachOneEngine(say: (line: string) => void): Promise<OneEngine> {
  const socket = engineSocket();
  const docker = ['docker', '-H', `unix://${socket}`];
  const asked = await attempt([...docker, 'version', '--format', '{{.Server.Version}}']).catch(
    () => undefined,
  );
  if (asked === undefined) throw new Error('there is no docker command; install Docker, or run it as root');
  if (asked.code !== 0) {
    throw new Error(`no Docker engine answers at ${socket}; run it as root, or as a user who may use Docker`);
  }
  say(`not root: using the engine at ${socket} (${asked.stdout.trim()}) as the one host`);
  await needImage(docker, say);
  await mkdir(join(checkout, '.lab'), { recursive: true });
  const dir = await mkdtemp(join(checkout, '.lab', 'demo-'));
  return {
    dir,
    hosts: [{ name: 'local', url: `unix://${socket}` }],
    agentHost: { socket },
    workspace: async (name) => {
      const path = join(dir, 'workspaces', name);
      await mkdir(path, { recursive: true });
      return path;
    },
    stop: () => rm(dir, { recursive: true, force: true }),
  };
}

function engineSocket(): string {
  const given = process.env.DOCKER_HOST ?? 'unix:///var/run/docker.sock';
  if (!given.startsWith('unix://'))
    throw new Error(`DOCKER_HOST is ${given}; the demo needs a unix:// engine`);
  return given.slice('unix://'.length);
}

async function needImage(docker: readonly string[], say: (line: string) => void): Promise<void> {
  if ((await attempt([...docker, 'image', 'inspect', publicImage])).code === 0) return;
  say(`pulling ${publicImage}`);
  const pulled = await attempt([...docker, 'pull', '--quiet', publicImage], { timeout: 600_000 });
  if (pulled.code !== 0) throw new Error(`${publicImage} cannot be pulled: ${pulled.stderr.trim()}`);
}
