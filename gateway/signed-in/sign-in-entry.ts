import type { OidcConfig } from '../../src/config/oidc-config.ts';
import type { Checked } from '../ports/authentication.ts';
import type { ProviderPerson } from '../ports/signed-in.ts';
import { type Lifetime, lifetime } from '../principals/lifetime.ts';
import type { SignInRow } from '../store/principal-rows.ts';
import { type Rights, rightsOfGroups } from './group-rights.ts';

/** A person of the provider as this process has it. */
export interface SignInEntry extends ProviderPerson {
  readonly rights: Checked<Rights>;
  readonly life: Lifetime;
  /** On the clock that nobody sets: when the groups were read; never in this process: -Infinity. */
  readonly readAt: number;
  /** Why they could not be read since. */
  readonly problem: string | undefined;
}

export function entryOfRow(
  { name, subject, groups, until, set_at: since }: SignInRow,
  known: OidcConfig['groups'],
): SignInEntry {
  const names = JSON.parse(groups) as string[];
  const end = until ?? undefined;
  return {
    ...{ name, subject, since, groups: names, rights: rightsOfGroups({ names }, known) },
    ...{ until: end, life: lifetime(end), readAt: -Infinity, problem: undefined },
  };
}

export function rowOfEntry({ name, subject, groups, since, until }: SignInEntry, issuer: string): SignInRow {
  return { name, issuer, subject, groups: JSON.stringify(groups), until: until ?? null, set_at: since };
}
