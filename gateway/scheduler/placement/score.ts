import type { DockerHost } from '../hosts/docker-host.ts';

/** The cost of a full host against an idle one: less than the difference between a cold start and a waiting ghost. */
const fullMs = 200;
/** The cost of a ghost that is being started ahead. */
const comingMs = 50;

/**
 * The cost of a host for work, in milliseconds: the wait for a start there, and how full the host is. Starts count
 * only by their order of magnitude, or the fastest host would get everything.
 */
export function cost(host: DockerHost, key: string): number {
  const share = host.running / host.config.slots;
  return startMs(host, key) + fullMs * share;
}

function startMs(host: DockerHost, key: string): number {
  if (host.warm.has(key)) return 0;
  if (host.warm.count(key) > 0) return comingMs;
  const magnitude = 4 ** Math.round(Math.log2(host.starts.latencyMs) / 2);
  return magnitude * (1 + host.gate.load / host.config.starts);
}
