import { shapeKey } from '../warm/ghost-shape.ts';
import { type GhostlyEngine, ghostlyEngine } from '../warm/waiting-ghost.fixture.ts';
import { DockerHost } from './docker-host.ts';

export const id = `sha256:${'a'.repeat(64)}`;
export const reference = 'node:24';
export const signal: AbortSignal = new AbortController().signal;

/** A host whose engine has the image, with this environment. */
export function hostWith(
  name: string,
  envHash: string,
  labels: Readonly<Record<string, string>> = {},
): DockerHost {
  return hostOver(ghostlyEngine(name), name, envHash, labels);
}

export function hostOver(
  engine: GhostlyEngine,
  name: string,
  envHash: string,
  labels: Readonly<Record<string, string>> = {},
): DockerHost {
  engine.inspectImage = async () => ({ id, env: [`FROM=${name}`], envHash, volumes: [] });
  const config = { name, engine: 'unix:///none', labels, slots: 8, warm: 0, starts: 3 };
  const host = new DockerHost(config, engine);
  host.answered();
  return host;
}

export function requestFor(envHash: string | undefined) {
  const shape = {
    ...{ agent: 'coder', image: { reference, id, ...(envHash && { envHash }) }, mounts: [], network: 'none' },
    ...{ uid: 1, gid: 1, memoryBytes: 1, cpus: 1, pids: 1 },
  };
  return { shape, key: shapeKey(shape), labels: {}, avoid: new Map() };
}
