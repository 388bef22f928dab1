import { InvalidArgumentError } from 'commander';
import { parseDuration } from '../../config/quantities.ts';

/** Dates as ISO 8601 has them: `Date.parse` makes a date of almost any text, and takes a `5` for May 2001. */
const date = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?)?$/;

/** A time, or how long before `now`, as the gateway wants it. */
export function parseSince(text: string, now: number = Date.now()): string {
  const ago = parseDuration(text);
  const time = ago === undefined ? timeOf(text) : Math.max(0, now - ago);
  if (Number.isNaN(time))
    throw new InvalidArgumentError('It must be a duration like 1h, or a time like 2026-11-21T08:00.');
  return new Date(time).toISOString();
}

function timeOf(text: string): number {
  return date.test(text) ? Date.parse(text) : Number.NaN;
}
