import type { Consent } from '../../src/policy/policy.ts';
import type { Approvers } from '../ports/approvers.ts';
import { ladder } from '../ports/principal.ts';

/** A yes, as far as it matters for whether it counts. */
export interface Said {
  readonly by: string;
  /** Of the right that it was given by; without it the present right is enough. */
  readonly stamp?: string;
}

/** What a yes is about. */
export interface Matter {
  readonly consent: Consent;
  readonly caller: string;
  readonly agent: string;
}

/**
 * Those of `said` that count now, by person: given by a right that has held since, by somebody whom the consent means,
 * and not by who asked.
 */
export function whoCounts<Yes extends Said>(
  said: readonly Yes[],
  matter: Matter,
  approvers: Approvers,
): ReadonlyMap<string, readonly Yes[]> {
  const counting = said.filter((yes) => whyNotCounted(yes, matter, approvers) === undefined);
  return Map.groupBy(counting, ({ by }) => approvers.personOf(by));
}

/** Whether enough different people say yes. */
export function suffices(said: readonly Said[], matter: Matter, approvers: Approvers): boolean {
  return whoCounts(said, matter, approvers).size >= matter.consent.approvals;
}

export type NotCounted = 'own-request' | 'not-approver';

export function whyNotCounted(
  { by, stamp }: Said,
  { consent: { role, names, approvals }, caller, agent }: Matter,
  { rightOf, personOf, isNamed: isOfProvider }: Approvers,
): NotCounted | undefined {
  if (personOf(by) === personOf(caller)) return 'own-request';
  const right = rightOf(by, agent);
  if (right === undefined || right.isOld || (stamp !== undefined && stamp !== right.stamp))
    return 'not-approver';
  if (ladder.indexOf(right.role) < ladder.indexOf(role)) return 'not-approver';
  if (approvals > 1 && isOfProvider?.(by) === false) return 'not-approver';
  const isNamed = names?.some((name) => personOf(`person:${name}`) === personOf(by)) ?? true;
  return isNamed ? undefined : 'not-approver';
}
