/** Tells milliseconds since 1970, by the wall clock as it is now: no later jump of that clock moves it. */
export function steadyClock(): () => number {
  const ahead = Date.now() - performance.now();
  return () => Math.round(performance.now() + ahead);
}
