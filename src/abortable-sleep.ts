import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves in `ms`, or rejects with the signal's reason if that comes first. Node's own rejects with an AbortError. */
export async function abortableSleep(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
}
