import { InvalidArgumentError } from 'commander';
import { parseDuration } from '../../config/quantities.ts';

/** `--agents team=web`, given once or more. */
export function addLabel(
  text: string,
  labels: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const [, key, value] = /^([A-Za-z0-9][\w./-]{0,62})=(.{1,63})$/.exec(text) ?? [];
  if (key === undefined || value === undefined)
    throw new InvalidArgumentError('It must be a label like team=web.');
  return { ...labels, [key]: value };
}

export function labelsOf(labels: Readonly<Record<string, string>>): { key: string; value: string }[] {
  return Object.entries(labels).map(([key, value]) => ({ key, value }));
}

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
