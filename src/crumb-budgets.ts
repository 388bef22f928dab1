import { keyedBuckets } from './keyed-buckets.ts';
import { type TokenBucket, tokenBucket } from './token-bucket.ts';

/** Takes so many small messages from a budget. Returns for how many milliseconds nothing more is to be read. */
export type CrumbPace = (messages: number) => number;

/** Joined, the keys, signals and windows of 50 commands are some hundreds of messages. */
export const messagesPerSecond = 5000;
/** What a relay passes on of one agent is less, so that none of it waits at the gateway, in the room of all its agents. */
export const relayedPerSecond = 4500;
/** For larger messages the bytes count: stdin has its credit, and output the window of its reader. */
export const crumbBytes = 4096;

/** A budget of small messages for each key, of which it remembers `most`. */
export function createCrumbBudgets(
  most: number,
  now: () => number = () => performance.now(),
): (key: string) => CrumbPace {
  const bucketOf = keyedBuckets(most, () => tokenBucket(messagesPerSecond, now));
  return (key) => paceOf(() => bucketOf(key));
}

/** A budget of its own. */
export function crumbPace(perSecond = messagesPerSecond): CrumbPace {
  const bucket = tokenBucket(perSecond);
  return paceOf(() => bucket);
}

function paceOf(bucketNow: () => TokenBucket): CrumbPace {
  return (messages) => {
    if (messages === 0) return 0;
    const bucket = bucketNow();
    bucket.owe(messages);
    return bucket.waitMs();
  };
}
