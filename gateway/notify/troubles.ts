import type { Logger } from 'pino';

/** Why somebody is not told now, and what was lost: for the log and for `doctor`. */
export interface Troubles {
  readonly failed: (why: string) => void;
  readonly worked: () => void;
  readonly lose: (count: number, why: string) => void;
  readonly problems: () => string[];
}

/** `who`: `webhook pager`. */
export function createTroubles(who: string, log: Logger): Troubles {
  let [lastWhy, lost] = ['', 0];
  return {
    failed: (why) => {
      if (lastWhy === '') log.warn({ who, why }, 'it is not told now');
      lastWhy = why;
    },
    worked: () => {
      if (lastWhy !== '') log.info({ who }, 'it is told again');
      lastWhy = '';
    },
    lose: (count, why) => {
      lost += count;
      log.error({ who, count, why }, 'it was not told');
    },
    problems: () => [
      ...(lastWhy === '' ? [] : [`${who} is not told now: ${lastWhy}`]),
      ...(lost === 0 ? [] : [`${who} was not told of ${lost} events since the start`]),
    ],
  };
}
