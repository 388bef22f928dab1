import fc from 'fast-check';
import { expect, test } from 'vitest';
import { suffices, whyNotCounted } from '../approvals/who-counts.ts';
import type { KnownLink, KnownPerson } from '../ports/known-principals.ts';
import type { SignedInPerson } from '../ports/signed-in.ts';
import { openDatabase } from '../store/database.ts';
import { createApprovers } from './approvers.ts';
import { onePersonOf, openLinks } from './links.ts';

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
  return createApprovers({
    people: { find: (name) => people.get(name) },
    revocations: { epochOf: () => 0 },
    links: {
      of: (principal) => links.find((each) => each.principal === principal),
      list: () => links.map((link) => ({ ...link, by: '', since })),
    },
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

test('A-413 P10: who is tied to a person of the provider stays the same person when its subject is linked further', () => {
  const own = { ...asked('web', 'approver', 1), caller: 'person:bob' };
  const one = [{ principal: 'person:bob', person: 'ann' }];
  const both = [...one, { principal: 'oidc:sub-ann', person: 'root' }];
  for (const links of [one, both]) {
    expect(whyNotCounted({ by: 'person:ann' }, own, approversWith(links))).toBe('own-request');
    expect(whyNotCounted({ by: 'person:bob' }, own, approversWith(links, 'ann'))).toBe('own-request');
  }
  expect(whyNotCounted({ by: 'person:root' }, own, approversWith(one))).toBeUndefined();
  expect(whyNotCounted({ by: 'person:root' }, own, approversWith(both))).toBe('own-request');
  // What no door makes: a circle by way of the subject.
  const circle = [...one, { principal: 'oidc:sub-ann', person: 'bob' }];
  for (const by of ['person:ann', 'person:bob'])
    expect(whyNotCounted({ by }, own, approversWith(circle))).toBe('own-request');
  const two = asked('web', 'approver', 2);
  expect(suffices(says('ann', 'bob', 'root'), two, approversWith(both))).toBe(false);
  expect(suffices(says('ann', 'bob', 'root', 'eve'), two, approversWith(both))).toBe(true);
});

test('A-413 P10: whatever links the gateway takes, nobody whom they tied before becomes two', async () => {
  const subjects = new Map(['ann', 'eve'].map((name) => [name, `sub-${name}`]));
  const names = ['ann', 'eve', 'bob', 'root'];
  const principals = [...names.map((name) => `person:${name}`), 'oidc:sub-ann', 'oidc:sub-eve', 'telegram:1'];
  const wish = fc.record({ principal: fc.constantFrom(...principals), person: fc.constantFrom(...names) });
  const property = fc.asyncProperty(fc.array(wish, { maxLength: 8 }), async (wishes) => {
    const database = await openDatabase(':memory:', 'crash');
    const subjectOf = (name: string) => subjects.get(name);
    const audit = { append: async () => {}, unkept: () => {} };
    const links = await openLinks({ database, audit, isPerson: (name) => names.includes(name), subjectOf });
    const tied: (readonly [string, string])[] = [...subjects].map(([name, subject]) => [
      `person:${name}`,
      `oidc:${subject}`,
    ]);
    for (const each of wishes) {
      const linked = await links.link({ ...each, reason: '' }, 'person:admin');
      if ('value' in linked) tied.push([each.principal, `person:${each.person}`]);
    }
    for (const [one, other] of tied.slice(subjects.size))
      expect(onePersonOf(one, links.of, subjectOf)).toBe(onePersonOf(other, links.of, subjectOf));
    for (const [person, subject] of tied.slice(0, subjects.size))
      if (links.of(subject) !== undefined)
        expect(onePersonOf(person, links.of, subjectOf)).toBe(onePersonOf(subject, links.of, subjectOf));
    await database.destroy();
  });
  await fc.assert(property, { numRuns: process.env['CLAWRDEN_LONG'] ? 300 : 30 });
});

test('A-307 P17: by groups that are old and cannot be read nothing counts', () => {
  const two = asked('web', 'approver', 2);
  expect(suffices(says('ann', 'eve'), two, approversWith([], '', 'eve'))).toBe(false);
  expect(suffices(says('ann'), asked('web', 'approver', 1), approversWith([], '', 'ann'))).toBe(false);
  expect(suffices(says('root'), asked('web', 'approver', 1), approversWith([], '', 'root'))).toBe(true);
});
