const leastMs = 500;
const mostMs = 30_000;

/** Milliseconds to wait after so many failures in a row: twice as long each time, 0.5 to 30 s, and half of it by chance. */
export function backoffMs(failures: number, random: number = Math.random()): number {
  const whole = Math.min(leastMs * 2 ** failures, mostMs);
  return Math.max(leastMs, whole * (0.5 + random / 2));
}
