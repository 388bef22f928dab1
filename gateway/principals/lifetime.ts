/** When something ends that is set to end at a time of the wall clock. */
export interface Lifetime {
  /** For what begins now: it is over by the wall clock, or by the clock that nobody sets. */
  readonly isOver: () => boolean;
  /** For what runs: a wall clock that jumps neither ends nor extends it. */
  readonly hasRunOut: () => boolean;
}

/** `until` in epoch milliseconds; undefined if it never ends. */
export function lifetime(until: number | undefined): Lifetime {
  if (until === undefined) return { isOver: () => false, hasRunOut: () => false };
  const end = performance.now() + (until - Date.now());
  const hasRunOut = () => performance.now() >= end;
  return { isOver: () => Date.now() >= until || hasRunOut(), hasRunOut };
}

/** What is left of what was given for a time: never more than that, if the wall clock was set back since. */
export function restOf({ since, until }: { readonly since: number; readonly until: number }): number {
  return Math.min(until - Date.now(), until - since);
}
