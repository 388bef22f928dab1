import { setTimeout as sleep } from 'node:timers/promises';
import type { DockerHost } from './docker-host.ts';
import type { Scheduler } from './scheduler.ts';

const periodMs = 2_000;
/** Pings missed in a row before a host is down: with the ping's own deadline of 3 s at most 10 s. */
const missesAllowed = 2;

/** Pings every host until `signal` aborts; `onUp` is awaited before a host that came back takes work. */
export async function watchHealth(
  scheduler: Scheduler,
  onUp: (host: DockerHost) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  await Promise.all(scheduler.hosts.map((host) => watchHost(host, scheduler, onUp, signal)));
}

async function watchHost(
  host: DockerHost,
  scheduler: Scheduler,
  onUp: (host: DockerHost) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  for (let misses = 0; !signal.aborted; ) {
    misses = (await probe(host, scheduler, onUp)) ? 0 : misses + 1;
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
