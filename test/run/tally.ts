export interface Skipped {
  readonly name: string;
  readonly reason: string;
}

/** The result of a step, in tests; a step that is one program counts as one test. */
export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: readonly Skipped[];
  /** Names of tests that failed at first and passed when run again. */
  readonly unsteady: readonly string[];
  /** What failed, and the first line of why: the end of a long output is what is kept of it. */
  readonly failures: readonly string[];
}

export const onePassed: Tally = { passed: 1, failed: 0, skipped: [], unsteady: [], failures: [] };

export function oneFailed(what: string): Tally {
  return { ...onePassed, passed: 0, failed: 1, failures: [what] };
}

export function oneSkipped(name: string, reason: string): Tally {
  return { ...onePassed, passed: 0, skipped: [{ name, reason }] };
}

export function sum(tallies: readonly Tally[]): Tally {
  return {
    passed: tallies.reduce((total, { passed }) => total + passed, 0),
    failed: tallies.reduce((total, { failed }) => total + failed, 0),
    skipped: tallies.flatMap(({ skipped }) => skipped),
    unsteady: tallies.flatMap(({ unsteady }) => unsteady),
    failures: tallies.flatMap(({ failures }) => failures),
  };
}

/** `N passed, M failed`. */
export function inWords({ passed, failed }: Tally): string {
  return `${passed} passed, ${failed} failed`;
}
