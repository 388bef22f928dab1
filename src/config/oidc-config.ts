import type { SecretSource } from './secret-source.ts';

/** The provider by which people sign in. */
export interface OidcConfig {
  /** Exactly as the provider writes it into its tokens. */
  readonly issuer: string;
  /** Addresses that the provider names at other hosts or ports need not be public. */
  readonly private: boolean;
  readonly clientId: string;
  readonly clientSecret: SecretSource;
  /** The claim that says what a person is called here. */
  readonly nameClaim: string;
  /** The claim with the groups; with dots between, a path to it. */
  readonly groupsClaim: string;
  /** What each group may do, by its name at the provider. */
  readonly groups: ReadonlyMap<string, GroupRight>;
}

export interface GroupRight {
  readonly role: GroupRole;
  /** Labels of the agents; none for all of them. */
  readonly agents: Readonly<Record<string, string>>;
}

export const groupRoles = ['viewer', 'approver', 'operator', 'admin'] as const;

export type GroupRole = (typeof groupRoles)[number];
