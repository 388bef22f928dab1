import { setTimeout as sleep } from 'node:timers/promises';

/** Containers that are about to remove themselves; only one that takes too long costs a call of the engine. */
export interface Departures {
  /** Resolves when the container is gone. After 5 s it removes the container by force. */
  readonly expect: (containerId: string) => Promise<void>;
  /** The engine has reported that a container is gone. */
  readonly gone: (containerId: string) => void;
}

export const departureGraceMs = 5_000;

/** `remove` never rejects. */
export function departures(
  remove: (containerId: string) => Promise<void>,
  graceMs = departureGraceMs,
): Departures {
  const expected = new Map<string, AbortController>();
  return {
    expect: async (containerId) => {
      const told = new AbortController();
      expected.set(containerId, told);
      const late = await sleep(graceMs, true, { signal: told.signal, ref: false }).catch(() => false);
      expected.delete(containerId);
      if (late) await remove(containerId);
    },
    gone: (containerId) => expected.get(containerId)?.abort(),
  };
}
