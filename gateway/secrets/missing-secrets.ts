import type { Policy } from '../../src/policy/policy.ts';

/** One line for each secret that the policy gives to a tool and gateway.yaml does not have. */
export function missingSecrets(policy: Policy, isThere: (name: string) => boolean): string[] {
  const overrides = policy.version === 1 ? policy.rules.flatMap((rule) => rule.overrides ?? []) : [];
  const named = [...policy.tools.values(), ...overrides].flatMap(({ secrets }) => [
    ...(secrets?.values() ?? []),
  ]);
  return [...new Set(named)]
    .filter((name) => !isThere(name))
    .map(
      (name) =>
        `the policy gives the secret ${name} to tools, and secrets of gateway.yaml has none of that name`,
    );
}
