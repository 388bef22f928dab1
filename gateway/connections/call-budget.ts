import { ClawrdenError } from '../../src/errors.ts';
import { keyedBuckets } from '../../src/keyed-buckets.ts';
import { tokenBucket } from '../../src/token-bucket.ts';

/** How often one peer may make a call. */
export interface CallRate {
  readonly atOnce: number;
  readonly perSecond: number;
}

/** What each peer may ask for, by a key that the peer cannot choose: its certificate's name, or its address. */
export interface CallBudget {
  /** Called before any other work for a call; throws if it comes too soon. */
  readonly charge: (key: string) => void;
}

/** A call that comes before its time. */
export class TooSoon extends ClawrdenError {
  readonly waitMs: number;

  constructor(message: string, waitMs: number) {
    super('rate-limit', message);
    this.waitMs = waitMs;
  }
}

const keysAtMost = 1024;

/** `what` names the call for people. */
export function createCallBudget(
  what: string,
  { atOnce, perSecond }: CallRate,
  now: () => number = () => performance.now(),
): CallBudget {
  const bucketOf = keyedBuckets(keysAtMost, () => tokenBucket(perSecond, now, atOnce));
  return {
    charge: (key) => {
      const bucket = bucketOf(key);
      if (bucket.take(1)) return;
      // Time has passed since it was asked.
      const waitMs = Math.max(1, bucket.waitMs(1));
      const seconds = Math.ceil(waitMs / 1000);
      throw new TooSoon(`${key} asks for ${what} too often (rate-limit); come back in ${seconds} s`, waitMs);
    },
  };
}
