import { parseDuration } from '../../config/quantities.ts';
import { CliError } from '../reach/cli-error.ts';

const daySeconds = 24 * 60 * 60;

/**
 * A yes holds exactly as long as the approver said. A time that is not a whole number of seconds is refused, never
 * rounded. Milliseconds are not accepted as a unit.
 */
export function grantSecondsOf(text: string): number {
  const seconds = text.includes('ms') ? 0 : (parseDuration(text) ?? 0) / 1000;
  if (Number.isInteger(seconds) && seconds >= 1 && seconds <= daySeconds) return seconds;
  const why = `--for ${JSON.stringify(text)} is no time in whole seconds, of a day at most`;
  throw new CliError('approve', why, 'write it like 90s');
}
