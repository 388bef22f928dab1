import type { Logger } from 'pino';

const intervalMs = 1000;

export type CountedLog = (fields: object, message: string) => void;

/**
 * Warns at most once a second, with a count of the omitted warnings, so that a hostile client cannot fill the disk.
 */
export function countedLog(log: Logger): CountedLog {
  let quietUntil = Number.NEGATIVE_INFINITY;
  let suppressed = 0;
  return (fields, message) => {
    const now = performance.now();
    if (now < quietUntil) {
      suppressed += 1;
      return;
    }
    log.warn({ ...fields, suppressed }, message);
    quietUntil = now + intervalMs;
    suppressed = 0;
  };
}
