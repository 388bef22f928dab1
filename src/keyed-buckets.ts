import type { TokenBucket } from './token-bucket.ts';

/**
 * A bucket for each key, made when it is first asked for. If there are `most`, those that owe nothing are forgotten, and
 * if each of them owes, the oldest: nobody is free of what he owes by inventing keys. Ask for it at each use.
 */
export function keyedBuckets(most: number, make: () => TokenBucket): (key: string) => TokenBucket {
  const buckets = new Map<string, TokenBucket>();

  function forget(): void {
    for (const [key, bucket] of buckets) if (bucket.isFull()) buckets.delete(key);
    const [oldest] = buckets.keys();
    if (buckets.size >= most && oldest !== undefined) buckets.delete(oldest);
  }

  return (key) => {
    const known = buckets.get(key);
    if (known !== undefined) return known;
    if (buckets.size >= most) forget();
    const bucket = make();
    buckets.set(key, bucket);
    return bucket;
  };
}
