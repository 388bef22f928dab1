import { tokenBucket } from './token-bucket.ts';

export type CountedLog = (fields: object, message: string) => void;

/** A log with so many lines a second; each counts those that were left out before it. */
export function countedLog(write: CountedLog, perSecond: number, atOnce: number): CountedLog {
  const lines = tokenBucket(perSecond, undefined, atOnce);
  let suppressed = 0;
  return (fields, message) => {
    if (!lines.take(1)) {
      suppressed += 1;
      return;
    }
    write({ ...fields, suppressed }, message);
    suppressed = 0;
  };
}
