import type { PersonRecord } from '../audit/principal-records.ts';
import type { KnownPerson, PersonRole } from '../ports/known-principals.ts';
import type { PersonRow } from '../store/principal-rows.ts';
import { type Lifetime, lifetime } from './lifetime.ts';
import { readScope, scopeText } from './scope-text.ts';

/** A person as this process has it. */
export interface PersonEntry extends KnownPerson {
  readonly life: Lifetime;
  /** Holds a certificate, or held one. */
  readonly letIn: boolean;
}

export function personEntry(
  person: Omit<PersonEntry, 'life' | 'since'>,
  since: number = Date.now(),
): PersonEntry {
  return { ...person, since, life: lifetime(person.until) };
}

export function personOfRow({ name, role, scope, until, set_by, set_at, let_in }: PersonRow): PersonEntry {
  const rights = { role: role as PersonRole, scope: readScope(scope), until: until ?? undefined };
  return personEntry({ name, ...rights, by: set_by, letIn: let_in === 1 }, set_at);
}

export function rowOfPerson({ name, role, scope, until, by, since, letIn }: PersonEntry): PersonRow {
  const rights = { role, scope: scopeText(scope), until: until ?? null };
  return { name, ...rights, set_by: by, set_at: since, removed: 0, let_in: letIn ? 1 : 0 };
}

export function recordOfPerson(
  { name, role, scope, until, by }: PersonEntry,
  event: PersonRecord['event'],
  reason: string,
): PersonRecord {
  const end = until === undefined ? '' : new Date(until).toISOString();
  return { type: 'person', event, person: name, role, scope, until: end, by, reason };
}
