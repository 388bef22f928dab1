import { expect, test } from 'vitest';
import { suffices, whyNotCounted } from '../approvals/who-counts.ts';
import type { KnownLink, KnownPerson } from '../ports/known-principals.ts';
import type { SignedInPerson } from '../ports/signed-in.ts';
import { createApprovers } from './approvers.ts';

const since = 1;
const local = (name: string): KnownPerson => ({
  ...{ name, role: 'admin', scope: {}, until: undefined, by: 'person:admin', since },
});
const named = (name: string): SignedInPerson => ({
  ...{ name, subject: `sub-${name}`, since },
  rights: [
    { role: 'operator', scope: { team: 'ops' } },
    { role: 'approver', scope: { team: 'web' } },
  ],
});
const agents = new Map(
  ['web', 'ops', 'db'].map((team) => [team, { name: team, labels: { team } } as never] as const),
);

/** `over`: names whose sign-in has ended; `old`: whose groups are old and could not be read. */
function approversWith(links: readonly Pick<KnownLink, 'principal' | 'person'>[], over = '', old = '') {
  const people = new Map(['root', 'bob'].map((name) => [name, local(name)]));
  const signedIn = new Map(['ann', 'eve'].map((name) => [name, named(name)]));
  const personOf = (principal: string) => {
    const link = links.find((each) => each.principal === principal);
    return link === undefined ? principal : `person:${link.person}`;
  };
  return createApprovers({
    people: { find: (name) => people.get(name) },
    revocations: { epochOf: () => 0 },
    links: { personOf, list: () => links.map((link) => ({ ...link, by: '', since })) },
    signIns: {
      of: (name, when) => {
        const value = signedIn.get(name);
        if (name === over || (name === old && when === 'hasRunOut')) return { refused: 'sign in again' };
        return value && { value };
      },
      subjectOf: (name) => signedIn.get(name)?.subject,
      freshen: async () => {},
    },
    agents: () => agents,
  });
}

const asked = (agent: string, role: 'approver' | 'operator', approvals: number) => ({
  ...{ caller: 'relay:r', agent },
  consent: { approvals, role },
});
const says = (...names: string[]) => names.map((name) => ({ by: `person:${name}` }));

test('of several rights the highest of those counts that hold the agent', () => {
  const approvers = approversWith([]);
  const roles = ['ops', 'web', 'db'].map((agent) => approvers.rightOf('person:ann', agent)?.role);
  expect(roles).toEqual(['operator', 'approver', undefined]);
  expect(suffices(says('ann'), asked('web', 'operator', 1), approvers)).toBe(false);
  expect(suffices(says('ann'), asked('ops', 'operator', 1), approvers)).toBe(true);
});

test('if several must say yes, only people whom the provider names count, each once', () => {
  const two = asked('web', 'approver', 2);
  expect(suffices(says('ann', 'eve'), two, approversWith([]))).toBe(true);
  expect(suffices(says('ann', 'root'), two, approversWith([]))).toBe(false);
  expect(suffices(says('root'), asked('web', 'approver', 1), approversWith([]))).toBe(true);
  const bob = [{ principal: 'oidc:sub-else', person: 'bob' }];
  expect(suffices(says('ann', 'bob'), two, approversWith(bob))).toBe(true);
  const same = [{ principal: 'oidc:sub-ann', person: 'bob' }];
  expect(suffices(says('ann', 'bob'), two, approversWith(same))).toBe(false);
  expect(suffices(says('ann', 'bob', 'eve'), two, approversWith(same))).toBe(true);
});

test('A-306 P18: who asked is the same person after the sign-in at the provider has ended', () => {
  const same = [{ principal: 'oidc:sub-ann', person: 'bob' }];
  const own = { ...asked('web', 'approver', 1), caller: 'person:ann' };
  for (const over of ['', 'ann'])
    expect(whyNotCounted({ by: 'person:bob' }, own, approversWith(same, over))).toBe('own-request');
  expect(whyNotCounted({ by: 'person:root' }, own, approversWith(same, 'ann'))).toBeUndefined();
});

test('A-307 P17: by groups that are old and cannot be read nothing counts', () => {
  const two = asked('web', 'approver', 2);
  expect(suffices(says('ann', 'eve'), two, approversWith([], '', 'eve'))).toBe(false);
  expect(suffices(says('ann'), asked('web', 'approver', 1), approversWith([], '', 'ann'))).toBe(false);
  expect(suffices(says('root'), asked('web', 'approver', 1), approversWith([], '', 'root'))).toBe(true);
});
