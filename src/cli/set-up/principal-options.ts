import { InvalidArgumentError } from 'commander';
import { parseDuration } from '../../config/quantities.ts';

/** Whole seconds. */
export function parseSeconds(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined || ms < 1000) throw new InvalidArgumentError('It must be a duration like 1h or 30d.');
  return Math.floor(ms / 1000);
}

export function scopeText(scope: Readonly<Record<string, string>>): string {
  const labels = Object.entries(scope).map(([key, value]) => `${key}=${value}`);
  return labels.length === 0 ? 'all' : labels.join(' ');
}
