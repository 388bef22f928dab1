import { setTimeout as sleep } from 'node:timers/promises';
import type { DockerHost } from './docker-host.ts';
import type { Scheduler } from './scheduler.ts';

const periodMs = 2_000;
/** Pings missed in a row before a host is down: with the ping's own deadline of 3 s at most 10 s. */
const missesAllowed = 2;

/**
 * Pings every host until `signal` aborts; `onUp` is awaited before a host that came back takes work. `looked` resolves
 * when every host was tried once.
 */
export function watchHealth(
  scheduler: Scheduler,
  onUp: (host: DockerHost) => Promise<void>,
  signal: AbortSignal,
): { readonly looked: Promise<unknown>; readonly ended: Promise<unknown> } {
  const first = scheduler.hosts.map((host) => probe(host, scheduler, onUp));
  const watching = scheduler.hosts.map((host, index) =>
    watchHost(host, scheduler, onUp, signal, first[index]),
  );
  return { looked: Promise.all(first), ended: Promise.all(watching) };
}

async function watchHost(
  host: DockerHost,
  scheduler: Scheduler,
  onUp: (host: DockerHost) => Promise<void>,
  signal: AbortSignal,
  first: Promise<boolean> | undefined,
): Promise<void> {
  let probing = first ?? probe(host, scheduler, onUp);
  for (let misses = 0; !signal.aborted; probing = probe(host, scheduler, onUp)) {
    misses = (await probing) ? 0 : misses + 1;
    if (misses >= missesAllowed) host.state = 'down';
    await sleep(periodMs, undefined, { signal }).catch(() => {});
  }
}

/** One ping; also what a lost connection triggers at once. False where the host did not answer. */
export async function probe(
  host: DockerHost,
  scheduler: Scheduler,
  onUp: (host: DockerHost) => Promise<void>,
): Promise<boolean> {
  try {
    await host.engine.ping();
    if (host.state !== 'down') return true;
    host.forgetImages();
    await onUp(host);
  } catch (error) {
    host.problem = error instanceof Error ? error.message : String(error);
    return false;
  }
  host.state = 'ready';
  host.problem = '';
  scheduler.serveQueue();
  return true;
}
