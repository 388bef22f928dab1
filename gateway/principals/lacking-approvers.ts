import type { Policy } from '../../src/policy/policy.ts';
import { consentText } from '../../src/policy/rules/consent.ts';
import { ladder } from '../ports/principal.ts';
import type { Links } from './links.ts';
import type { People } from './people.ts';

interface Known {
  readonly people: Pick<People, 'list' | 'find'>;
  readonly links: Pick<Links, 'personOf'>;
  /** Whom else a provider names is not known before they sign in. */
  readonly signIns?: object | undefined;
}

/** Rules that ask for more people than there are, one line each. */
export function lackingApprovers(policy: Policy, known: Known): string[] {
  if (policy.version === 0 || known.signIns !== undefined) return [];
  return policy.rules.flatMap(({ name, consent }) => {
    if (consent === undefined) return [];
    const { size } = new Set(whoCould(consent, known));
    if (size >= consent.approvals) return [];
    return [`the rule ${name} needs ${consentText(consent)}, and ${size} of them are known`];
  });
}

function whoCould(
  { role, names }: NonNullable<Extract<Policy, { version: 1 }>['rules'][number]['consent']>,
  { people, links: { personOf } }: Known,
): string[] {
  const named = names?.map((name) => personOf(`person:${name}`));
  return people
    .list()
    .filter(({ name }) => people.find(name) !== undefined)
    .filter((person) => ladder.indexOf(person.role) >= ladder.indexOf(role))
    .map(({ name }) => personOf(`person:${name}`))
    .filter((person) => named?.includes(person) ?? true);
}
