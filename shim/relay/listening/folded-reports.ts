import { ClawrdenError } from '../../../src/errors.ts';

/** Tells the gateway about requests of one agent that were refused for their rate: once a second, with a count. */
export type ReportTooMuch = (refusal: ClawrdenError) => void;

const foldMs = 1000;

export function foldReports(report: ReportTooMuch): ReportTooMuch {
  let count = 0;
  let last: ClawrdenError | undefined;

  function tell(): void {
    if (last === undefined) return;
    const text = `${last.message} (${count} refused by the relay in a second)`;
    report(new ClawrdenError(last.code, text));
    count = 0;
    last = undefined;
  }

  return (refusal) => {
    if (last === undefined) setTimeout(tell, foldMs).unref();
    last = refusal;
    count += 1;
  };
}
