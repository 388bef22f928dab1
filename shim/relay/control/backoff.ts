const leastMs = 500;
const mostMs = 30_000;

/** Milliseconds to wait after so many failures in a row: 0.5 to 30 s, doubled each time, half of it random. */
export function backoffMs(failures: number, random: number = Math.random()): number {
  const whole = Math.min(leastMs * 2 ** failures, mostMs);
  return Math.max(leastMs, whole * (0.5 + random / 2));
}
