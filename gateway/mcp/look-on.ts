import { setTimeout as sleep } from 'node:timers/promises';
import { abortable, deadline } from '../../src/abort.ts';
import type { ExecutionResult, Underway } from '../ports/detached.ts';
import { createProgressText } from './progress-text.ts';

export interface Pace {
  /** Between two messages at least. */
  readonly progressMs: number;
  /** Without anything to tell. */
  readonly heartbeatMs: number;
  /** For an answer that says what is so far, if the client names no time. */
  readonly waitMs: number;
  /** How often a client asks that looks by itself. */
  readonly pollMs: number;
}

export interface Looking {
  readonly pace: Pace;
  readonly waitMs: number;
  readonly signal: AbortSignal;
  /** Resolves when its reader has room for more. */
  readonly tell: (message: string) => Promise<void>;
  /** Whether a question to a person is an answer. */
  readonly endsAtQuestion: boolean;
}

/** Tells what it writes as it comes. Resolves with its end, or with undefined if there is none when the time is over. */
export async function lookOn(underway: Underway, looking: Looking): Promise<ExecutionResult | undefined> {
  const timeUp = new Error('the time is over');
  using limit = deadline(looking.waitMs, () => timeUp, looking.signal);
  const over = new AbortController();
  const signal = AbortSignal.any([limit.signal, over.signal]);
  const told = tellProgress(underway, looking, signal);
  try {
    const ends: Promise<ExecutionResult | undefined>[] = [underway.ended];
    if (looking.endsAtQuestion) ends.push(untilQuestion(underway, signal));
    return await abortable(Promise.race(ends), limit.signal);
  } catch (error) {
    // Nobody takes the answer of a client that has left.
    if (error !== timeUp && !looking.signal.aborted) throw error;
    return undefined;
  } finally {
    over.abort();
    await told;
  }
}

function untilQuestion(underway: Underway, signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    const look = () => underway.question() !== undefined && resolve(undefined);
    underway.watch(look, signal);
    look();
  });
}

/** Until `signal` aborts; never rejects. A reader that is behind gets what it missed in fewer messages. */
async function tellProgress(underway: Underway, { pace, tell }: Looking, signal: AbortSignal): Promise<void> {
  const text = createProgressText(underway);
  let changed = Promise.withResolvers<void>();
  let toldAt = performance.now();
  underway.watch(() => changed.resolve(), signal);
  const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => {});
  while (!signal.aborted) {
    const isSilent = performance.now() - toldAt >= pace.heartbeatMs;
    const news = text.next() || (isSilent ? text.state() : text.newState());
    if (news !== '') {
      toldAt = performance.now();
      await tell(news).catch(() => {});
      await pause(pace.progressMs);
    } else
      await Promise.race([
        changed.promise,
        pause(Math.max(1, toldAt + pace.heartbeatMs - performance.now())),
      ]);
    changed = Promise.withResolvers();
  }
}
