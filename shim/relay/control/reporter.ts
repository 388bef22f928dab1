import { isDeepStrictEqual } from 'node:util';

/** Sends a report if it says something new, or if `always`. */
export type Report = (always?: boolean) => Promise<void>;

/**
 * Reports of what `describe` says. Looking takes time, and several looks may go on at once: what an earlier look saw is
 * dropped once a later one has been sent.
 */
export function createReporter<T>(describe: () => Promise<T>, send: (described: T) => void): Report {
  let begun = 0;
  let sent = 0;
  let last: T | undefined;
  return async (always = false) => {
    begun += 1;
    const number = begun;
    const now = await describe();
    if (number < sent || (isDeepStrictEqual(now, last) && !always)) return;
    sent = number;
    last = now;
    send(now);
  };
}
