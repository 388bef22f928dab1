import { z } from 'zod';
import type { Scope } from '../ports/principal.ts';

const labelsAtMost = 16;
const label = z.string().min(1).max(63);
const scopes = z
  .record(label, label)
  .refine((labels) => Object.keys(labels).length <= labelsAtMost, `it has more than ${labelsAtMost} labels`);

/** As the database and the audit have it. */
export function scopeText(scope: Scope): string {
  return JSON.stringify(Object.fromEntries(Object.entries(scope).toSorted(([a], [b]) => (a < b ? -1 : 1))));
}

export function readScope(text: string): Scope {
  return scopes.parse(JSON.parse(text));
}

/** Empty, or why a principal cannot have it. */
export function scopeProblem(scope: Scope): string {
  const { error } = scopes.safeParse(scope);
  // A record of zod leaves it out, and fewer labels are more agents.
  return error === undefined && !Object.hasOwn(scope, '__proto__')
    ? ''
    : `a scope has at most ${labelsAtMost} labels, KEY=VALUE with 1 to 63 characters each`;
}
