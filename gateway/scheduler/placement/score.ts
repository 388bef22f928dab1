import type { DockerHost } from '../hosts/docker-host.ts';

/** What a full host costs against an idle one: less than a cold start against a ghost that waits. */
const fullMs = 200;
/** For a ghost that is being started ahead. */
const comingMs = 50;

/**
 * Milliseconds by which work is better put elsewhere: the wait for a start there, and how full the host is. Starts
 * count by the order of magnitude alone, or the fastest host would get everything.
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
