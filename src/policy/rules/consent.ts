import { type Consent, type Decision, type Door, usualDoors } from '../policy.ts';

/** If no rule says otherwise. */
export const oneApprover: Consent = { approvals: 1, role: 'approver' };

const rungs = ['approver', 'operator', 'admin'] as const;

/**
 * What each of them needs, and so many: the higher number and role, only people whom all of them name, only the doors
 * of each, and the earliest word to others.
 */
export function strictestConsent(all: readonly (Consent | undefined)[]): Consent | undefined {
  const said = all.flatMap((one) => one ?? []);
  if (said.length === 0) return undefined;
  const lists = said.flatMap(({ names }) => (names === undefined ? [] : [names]));
  const reminds = said.flatMap(({ remindMs }) => remindMs ?? []);
  const [escalate] = said
    .flatMap((one) => one.escalate ?? [])
    .toSorted((one, other) => one.afterMs - other.afterMs || (one.to < other.to ? -1 : 1));
  return {
    approvals: Math.max(...said.map(({ approvals }) => approvals)),
    role: rungs.findLast((rung) => said.some(({ role }) => role === rung)) ?? 'approver',
    ...(lists.length === 0 ? {} : { names: inAll(lists) }),
    ...(said.some(({ answerIn }) => answerIn !== undefined) && { answerIn: inAll(said.map(doorsOf)) }),
    ...(reminds.length > 0 && { remindMs: Math.min(...reminds) }),
    ...(escalate !== undefined && { escalate }),
  };
}

/** Of what asks by itself, and of what it does on its way: one without a word of its own has the usual doors. */
export function joinedConsent(asking: readonly (Consent | undefined)[]): Consent | undefined {
  if (asking.every((one) => one === undefined)) return undefined;
  return strictestConsent(asking.map((one) => one ?? oneApprover));
}

/** Where it may be answered. */
export function doorsOf({ answerIn = usualDoors }: Consent): readonly Door[] {
  return answerIn;
}

function inAll<Item>([first = [], ...rest]: readonly (readonly Item[])[]): Item[] {
  return first.filter((item) => rest.every((list) => list.includes(item)));
}

/** With this consent in place of its own; denied if so many people cannot be found, or if no door is left. */
export function withConsent(decision: Decision, consent: Consent | undefined): Decision {
  if (decision.action !== 'ask' || consent === undefined) return decision;
  const why = whyNobody(consent);
  if (why === '') return { ...decision, consent };
  return { action: 'deny', rule: 'conflict', reason: why, code: 'denied-by-rule' };
}

function whyNobody(consent: Consent): string {
  const { approvals, names } = consent;
  if (doorsOf(consent).length === 0) return 'the rules that ask have no answer-in in common';
  if (names === undefined || names.length >= approvals) return '';
  return `the rules that ask need ${approvals} yes of people whom all of them name, and they name ${names.length}`;
}

/** For people: "2 people with the role operator or above, of alice, bob". */
export function consentText(consent: Consent): string {
  const { approvals, role, names, answerIn } = consent;
  const who = approvals === 1 ? 'one person' : `${approvals} people`;
  const above = role === 'admin' ? 'admin' : `${role} or above`;
  const named = names === undefined ? '' : `, of ${names.join(', ')}`;
  return `${who} with the role ${above}${named}${answerIn === undefined ? '' : `, by ${answerIn.join(' or ')}`}`;
}
