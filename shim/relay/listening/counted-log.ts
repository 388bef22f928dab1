import type { Logger } from 'pino';

const intervalMs = 1000;

export type CountedLog = (fields: object, message: string) => void;

/** Warns once a second at most, and says how often it did not: what a hostile client sets off fills no disk. */
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
