import type { Logger } from 'pino';
import { type CountedLog, countedLog } from '../../../src/counted-log.ts';

/** What the log has of one agent's clients. Each has a rate, so that a hostile client cannot fill the disk. */
export interface ClientLog {
  /** Protocol errors and refusals: one a second. */
  readonly warn: CountedLog;
  /** Ends of commands: of an ordinary agent all of them. */
  readonly tellEnd: CountedLog;
}

const endsPerSecond = 5;
const endsAtOnce = 100;

export function clientLog(log: Logger): ClientLog {
  return {
    warn: countedLog((fields, message) => log.warn(fields, message), 1, 1),
    tellEnd: countedLog((fields, message) => log.info(fields, message), endsPerSecond, endsAtOnce),
  };
}
