import type { ListedPerson, PersonRole } from '../ports/known-principals.ts';
import type { Role } from '../ports/principal.ts';

/** What a list of people says about what one may do, and by whom. */
export interface DescribedPerson {
  /** Absent for a person of the provider. */
  readonly role?: PersonRole;
  readonly scope: Record<string, string>;
  readonly setBy: string;
  readonly provider?: {
    readonly subject: string;
    readonly groups: string[];
    readonly rights: { readonly role: Role; readonly scope: Record<string, string> }[];
    readonly refused?: string;
  };
}

export function describePerson(person: ListedPerson): DescribedPerson {
  if ('role' in person) return { role: person.role, scope: { ...person.scope }, setBy: person.by };
  const { subject, rights } = person;
  const told = { subject, groups: [...person.groups] };
  if ('refused' in rights) return byProvider({ ...told, rights: [], refused: rights.refused });
  const given = rights.value.map(({ role, scope }) => ({ role, scope: { ...scope } }));
  return byProvider({ ...told, rights: given });
}

function byProvider(provider: NonNullable<DescribedPerson['provider']>): DescribedPerson {
  return { scope: {}, setBy: 'provider', provider };
}
