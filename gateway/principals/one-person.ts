import type { KnownLink } from '../ports/known-principals.ts';

type Link = Pick<KnownLink, 'principal' | 'person'>;

/** Whom the provider means by a name. */
export type SubjectOf = (name: string) => string | undefined;

/** All that are one person with a principal, itself among them: the same set for each of them, if links name it. */
export type OnePerson = (principal: string) => ReadonlySet<string>;

interface Ties {
  readonly links: readonly Link[];
  /** People in them whom the provider may still get to know. */
  readonly unknown: readonly string[];
  readonly people: ReadonlyMap<string, ReadonlySet<string>>;
}

/**
 * Links tie whom they name, in whatever order and direction they were made, and however many a principal has. A person
 * of the provider and its subject are one. `links` answers another list after each change; a name's subject stays the
 * same once it is known.
 */
export function createOnePerson(links: () => readonly Link[], subjectOf?: SubjectOf): OnePerson {
  let ties = tie([], subjectOf);
  const isKnownNow = (principal: string) => withSubject(principal, subjectOf) !== principal;
  return (principal) => {
    const all = links();
    if (all !== ties.links || (subjectOf !== undefined && ties.unknown.some(isKnownNow)))
      ties = tie(all, subjectOf);
    const own = withSubject(principal, subjectOf);
    return ties.people.get(own) ?? new Set([own]);
  };
}

export const personPrefix = 'person:';

/** A person of the provider goes by its subject. */
export function withSubject(principal: string, subjectOf: SubjectOf | undefined): string {
  const subject = principal.startsWith(personPrefix)
    ? subjectOf?.(principal.slice(personPrefix.length))
    : undefined;
  return subject === undefined ? principal : `oidc:${subject}`;
}

function tie(links: readonly Link[], subjectOf: SubjectOf | undefined): Ties {
  const people = new Map<string, Set<string>>();
  const unknown = new Set<string>();
  const personOf = (principal: string) => {
    const own = withSubject(principal, subjectOf);
    if (own === principal && own.startsWith(personPrefix)) unknown.add(own);
    const person = people.get(own) ?? new Set([own]);
    people.set(own, person);
    return person;
  };
  for (const { principal, person } of links) {
    const [one, other] = [personOf(principal), personOf(personPrefix + person)];
    const [large, small] = one.size < other.size ? [other, one] : [one, other];
    for (const each of small) people.set(each, large.add(each));
  }
  return { links, unknown: [...unknown], people };
}
