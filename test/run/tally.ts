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
}

export const onePassed: Tally = { passed: 1, failed: 0, skipped: [], unsteady: [] };
export const oneFailed: Tally = { passed: 0, failed: 1, skipped: [], unsteady: [] };

export function oneSkipped(name: string, reason: string): Tally {
  return { passed: 0, failed: 0, skipped: [{ name, reason }], unsteady: [] };
}

export function sum(tallies: readonly Tally[]): Tally {
  return {
    passed: tallies.reduce((total, { passed }) => total + passed, 0),
    failed: tallies.reduce((total, { failed }) => total + failed, 0),
    skipped: tallies.flatMap(({ skipped }) => skipped),
    unsteady: tallies.flatMap(({ unsteady }) => unsteady),
  };
}

/** `N passed, M failed`. */
export function inWords({ passed, failed }: Tally): string {
  return `${passed} passed, ${failed} failed`;
}
