import type { TokenBucket } from './token-bucket.ts';

/**
 * A bucket for each key, made when it is first asked for. If there are `most`, those that owe nothing are forgotten, and
 * if each of them owes, the oldest: nobody is free of what he owes by inventing keys. Ask for it at each use.
 */
export function keyedBuckets<Bucket extends Pick<TokenBucket, 'isFull'>>(
  most: number,
  make: () => Bucket,
): (key: string) => Bucket {
  const buckets = new Map<string, Bucket>();

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
