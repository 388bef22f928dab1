import type { PendingApproval } from '../ports/verdict.ts';

/** What of a question changes while it waits: who watches is told it again if this is another one. */
export function questionState({ missing, yeses }: PendingApproval): string {
  return JSON.stringify([missing, yeses.map(({ by, at, counts }) => [by, at, counts])]);
}
