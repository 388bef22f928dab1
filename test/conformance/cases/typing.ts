import type { Step } from '../case.ts';

/** Keys for the terminal, and what it says then, one after the other. */
export function type(text: string, ...until: string[]): Step[] {
  return [{ write: text }, ...until.map((one) => ({ until: one }))];
}
