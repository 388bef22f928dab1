import { type TokenBucket, tokenBucket } from './token-bucket.ts';

/** Takes so many small messages from a budget. Returns for how many milliseconds nothing more is to be read. */
export type CrumbPace = (messages: number) => number;

/** Joined, the keys, signals and windows of 50 commands are some hundreds of messages. */
export const messagesPerSecond = 5000;
/** For larger messages the bytes count: stdin has its credit, and output the window of its reader. */
export const crumbBytes = 4096;

/** A budget of small messages for each key. It keeps `most` of them, and then begins anew. */
export function createCrumbBudgets(most: number): (key: string) => CrumbPace {
  const buckets = new Map<string, TokenBucket>();

  function bucketOf(key: string): TokenBucket {
    const known = buckets.get(key);
    if (known !== undefined) return known;
    if (buckets.size >= most) buckets.clear();
    const bucket = tokenBucket(messagesPerSecond);
    buckets.set(key, bucket);
    return bucket;
  }

  return (key) => paceOf(bucketOf(key));
}

/** A budget of its own. */
export function crumbPace(): CrumbPace {
  return paceOf(tokenBucket(messagesPerSecond));
}

function paceOf(bucket: TokenBucket): CrumbPace {
  return (messages) => {
    if (messages === 0) return 0;
    bucket.owe(messages);
    return bucket.waitMs();
  };
}
