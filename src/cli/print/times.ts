/** `2026-11-21 01:55:03` in this machine's time zone; an empty text stays empty. */
export function localTime(time: string): string {
  if (time === '') return '';
  const date = new Date(time);
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19).replace('T', ' ');
}

/** `340 ms`, `12.3 s`, `4 min 5 s` between two times; empty if one is missing. */
export function between(from: string, to: string): string {
  return from === '' || to === '' ? '' : durationText(Math.max(0, Date.parse(to) - Date.parse(from)));
}

export function durationText(ms: number): string {
  if (ms < 1000) return `${ms} ms`;
  // Rounded first: 59.96 s is a minute.
  const tenths = Math.round(ms / 100);
  if (tenths < 600) return `${(tenths / 10).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
