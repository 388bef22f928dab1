import type { SecretSource } from '../../src/config/secret-source.ts';
import type { Policy } from '../../src/policy/policy.ts';
import type { SecretView } from '../ports/secret-view.ts';
import { missingSecrets } from './missing-secrets.ts';
import { openSecrets, type Secret } from './open-secrets.ts';
import { createSecretViews } from './secret-views.ts';

/** The secrets of gateway.yaml, for what uses them and for people. */
export interface Secrets {
  readonly value: Secret;
  readonly views: (check: boolean) => Promise<SecretView[]>;
  /** What the policy names and is not there. */
  readonly problems: (policy: Policy) => string[];
}

/** `sources`: as gateway.yaml names them now. */
export function holdSecrets(sources: () => ReadonlyMap<string, SecretSource>): Secrets {
  const value = openSecrets(sources);
  return {
    value,
    views: createSecretViews(sources, value),
    problems: (policy) => missingSecrets(policy, (name) => sources().has(name)),
  };
}
