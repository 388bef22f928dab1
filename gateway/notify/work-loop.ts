import { setTimeout as sleep } from 'node:timers/promises';
import type { Faults } from '../../src/faults.ts';

/** One piece of work after another, behind everything else. */
export interface WorkLoop {
  /** There may be work before its time. */
  readonly wake: () => void;
  readonly close: () => Promise<void>;
}

/** Looked at again after this time, whatever a step says. */
export const longestMs = 5 * 60_000;
/** What could not be told for so long is given up. */
export const giveUpMs = 60 * 60_000;
/** The database may be full, or held by another program. */
const faultMs = 5_000;

/** Each step resolves with how long to wait for the next one. */
export function startWork(
  where: string,
  step: (signal: AbortSignal) => Promise<number>,
  faults: Pick<Faults, 'report'>,
): WorkLoop {
  const closing = new AbortController();
  let waking = new AbortController();
  async function work(): Promise<void> {
    while (!closing.signal.aborted) {
      waking = new AbortController();
      const waitMs = await step(closing.signal).catch((error: unknown) => {
        faults.report(where, error);
        return faultMs;
      });
      const either = AbortSignal.any([waking.signal, closing.signal]);
      if (waitMs > 0) await sleep(Math.min(waitMs, longestMs), undefined, { signal: either }).catch(() => {});
    }
  }
  const working = work();
  return {
    wake: () => waking.abort(),
    close: async () => {
      closing.abort();
      await working;
    },
  };
}

/** 1, 2, 4 … seconds, and not all at the same moment. */
export function backoff(tries: number): number {
  return Math.min(1_000 * 2 ** Math.min(tries, 20), longestMs) * (0.8 + Math.random() * 0.4);
}
