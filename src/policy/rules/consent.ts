import type { Consent, Decision } from '../policy.ts';

/** If no rule says otherwise. */
export const oneApprover: Consent = { approvals: 1, role: 'approver' };

const rungs = ['approver', 'operator', 'admin'] as const;

/** What each of them needs, and so many: the higher number and role, and only people whom all of them name. */
export function strictestConsent(all: readonly (Consent | undefined)[]): Consent | undefined {
  const said = all.flatMap((one) => one ?? []);
  if (said.length === 0) return undefined;
  const lists = said.flatMap(({ names }) => (names === undefined ? [] : [names]));
  const [first = [], ...rest] = lists;
  const names = first.filter((name) => rest.every((list) => list.includes(name)));
  return {
    approvals: Math.max(...said.map(({ approvals }) => approvals)),
    role: rungs.findLast((rung) => said.some(({ role }) => role === rung)) ?? 'approver',
    ...(lists.length === 0 ? {} : { names }),
  };
}

/** With this consent in place of its own; denied if so many people cannot be found. */
export function withConsent(decision: Decision, consent: Consent | undefined): Decision {
  if (decision.action !== 'ask' || consent === undefined) return decision;
  const { approvals, names } = consent;
  if (names === undefined || names.length >= approvals) return { ...decision, consent };
  const reason = `the rules that ask need ${approvals} yes of people whom all of them name, and they name ${names.length}`;
  return { action: 'deny', rule: 'conflict', reason, code: 'denied-by-rule' };
}

/** For people: "2 people with the role operator or above, of alice, bob". */
export function consentText({ approvals, role, names }: Consent): string {
  const who = approvals === 1 ? 'one person' : `${approvals} people`;
  const above = role === 'admin' ? 'admin' : `${role} or above`;
  return `${who} with the role ${above}${names === undefined ? '' : `, of ${names.join(', ')}`}`;
}
