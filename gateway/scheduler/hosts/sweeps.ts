import type { Logger } from 'pino';
import type { DockerHost } from './docker-host.ts';

export interface SweepParts {
  readonly hosts: readonly DockerHost[];
  readonly log: Logger;
}

/** Removals of what no live ghost owns, for example after a crash: one at a time on each host. */
export interface Sweeps {
  /**
   * Begins after the one that runs there. Resolves with whether everything is gone; `signal` ends it early. Never
   * rejects.
   */
  readonly sweep: (host: DockerHost, signal: AbortSignal) => Promise<boolean>;
  readonly isRunning: (host: DockerHost) => boolean;
}

export function createSweeps(parts: SweepParts): Sweeps {
  const running = new Map<DockerHost, Promise<boolean>>();
  return {
    sweep: (host, signal) => {
      const before = running.get(host) ?? Promise.resolve(true);
      const sweep = before
        .then(() => !signal.aborted && clean(host, parts, signal))
        .finally(() => {
          if (running.get(host) === sweep) running.delete(host);
        });
      running.set(host, sweep);
      return sweep;
    },
    isRunning: (host) => running.has(host),
  };
}

/** A host that leaves may be on the same engine, so what every host has is spared. */
async function clean(host: DockerHost, { hosts, log }: SweepParts, signal: AbortSignal): Promise<boolean> {
  const began = performance.now();
  try {
    const kept = new Set([host, ...hosts].flatMap(({ containers }) => [...containers]));
    const removed = await host.engine.removeStrays(kept, signal);
    if (removed > 0) log.warn({ host: host.name, removed }, 'containers that nobody knows were removed');
    host.cleanedAt = began;
    return true;
  } catch (error) {
    if (!signal.aborted) log.warn({ host: host.name, why: String(error) }, 'the host could not be cleaned');
    return false;
  }
}
