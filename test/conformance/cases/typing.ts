import type { Step } from '../case.ts';

/** Pairs of keys for the terminal and the expected output. */
export function type(text: string, ...until: string[]): Step[] {
  return [{ write: text }, ...until.map((one) => ({ until: one }))];
}
