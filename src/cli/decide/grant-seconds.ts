import { parseDuration } from '../../config/quantities.ts';
import { CliError } from '../reach/cli-error.ts';

const daySeconds = 24 * 60 * 60;

/**
 * A yes holds as long as was said and no longer: what is no number of whole seconds is refused, never rounded. In
 * milliseconds nobody says one.
 */
export function grantSecondsOf(text: string): number {
  const seconds = text.includes('ms') ? 0 : (parseDuration(text) ?? 0) / 1000;
  if (Number.isInteger(seconds) && seconds >= 1 && seconds <= daySeconds) return seconds;
  const why = `--for ${JSON.stringify(text)} is no time in whole seconds, of a day at most`;
  throw new CliError('approve', why, 'write it like 90s');
}
