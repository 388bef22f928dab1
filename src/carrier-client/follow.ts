import type { CarrierSession } from './carrier-session.ts';

/**
 * Yields each time one of the trees changed, at most once in each interval. While the caller works, every session is
 * free; otherwise all of them wait here. Ends when the signal is aborted.
 */
export async function* followAll(
  sessions: readonly CarrierSession[],
  intervalMs: number,
  signal: AbortSignal,
): AsyncGenerator<void, void> {
  while (!signal.aborted) if (await oneChanged(sessions, intervalMs, signal)) yield;
}

async function oneChanged(
  sessions: readonly CarrierSession[],
  intervalMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  const found = new AbortController();
  const stop = AbortSignal.any([signal, found.signal]);
  const waits = sessions.map(async (session) => {
    try {
      return await session.changed(intervalMs, stop);
    } finally {
      found.abort();
    }
  });
  await Promise.allSettled(waits);
  return (await Promise.all(waits)).includes(true);
}
