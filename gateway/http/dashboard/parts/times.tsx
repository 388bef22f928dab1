import { useDashboard } from '../data/dashboard.ts';

/** How long ago, or how long from now; the exact time on hover. */
export function Ago({ at }: { readonly at: string }) {
  const { clock } = useDashboard();
  return (
    <time dateTime={at} title={exactTime(at)}>
      {relative(Date.parse(at) - clock.value)}
    </time>
  );
}

/** What is left until then, to the second. */
export function Left({ until }: { readonly until: string }) {
  const { clock } = useDashboard();
  const seconds = Math.max(0, Math.ceil((Date.parse(until) - clock.value) / 1000));
  return (
    <time dateTime={until} title={exactTime(until)} class={seconds < 60 ? 'left is-short' : 'left'}>
      {durationOf(seconds)}
    </time>
  );
}

export function exactTime(at: string): string {
  const date = new Date(at);
  return `${date.toLocaleString(undefined, { dateStyle: 'full', timeStyle: 'long' })} (${at})`;
}

export function durationOf(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const two = (value: number) => String(value).padStart(2, '0');
  if (hours >= 48) return `${Math.floor(hours / 24)} d ${hours % 24} h`;
  if (hours > 0) return `${hours} h ${two(minutes)} min`;
  return `${minutes}:${two(seconds % 60)}`;
}

function relative(ms: number): string {
  const seconds = Math.abs(ms) / 1000;
  const units = [
    [86_400, 'd'],
    [3600, 'h'],
    [60, 'min'],
  ] as const;
  const [size, unit] = units.find(([each]) => seconds >= each) ?? [1, 's'];
  if (seconds < 10) return 'now';
  const text = `${Math.floor(seconds / size)} ${unit}`;
  return ms > 0 ? `in ${text}` : `${text} ago`;
}
