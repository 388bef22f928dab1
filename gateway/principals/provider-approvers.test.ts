import fc from 'fast-check';
import { expect, test } from 'vitest';
import { suffices, whyNotCounted } from '../approvals/who-counts.ts';
import type { KnownLink, KnownPerson } from '../ports/known-principals.ts';
import type { SignedInPerson } from '../ports/signed-in.ts';
import { openDatabase } from '../store/database.ts';
import { keepLink } from '../store/links.ts';
import { createApprovers } from './approvers.ts';
import { openLinks } from './links.ts';
import { createOnePerson } from './one-person.ts';

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
      onePerson: createOnePerson(
        () => links,
        (name) => signedIn.get(name)?.subject,
      ),
    },
    signIns: {
      of: (name, when) => {
        const value = signedIn.get(name);
        if (name === over || (name === old && when === 'hasRunOut')) return { refused: 'sign in again' };
        return value && { value };
      },
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

const everybody = ['ann', 'eve', 'bob', 'root'];
const principals = [
  ...everybody.map((name) => `person:${name}`),
  'oidc:sub-ann',
  'oidc:sub-eve',
  'telegram:1',
];
const row = fc.record({ principal: fc.constantFrom(...principals), person: fc.constantFrom(...everybody) });
const numRuns = process.env['CLAWRDEN_LONG'] ? 300 : 30;

async function linksWith(
  subjects: ReadonlyMap<string, string>,
  rows: readonly Pick<KnownLink, 'principal' | 'person'>[],
) {
  const database = await openDatabase(':memory:', 'crash');
  for (const each of rows) await keepLink(database, { ...each, by: 'person:admin', since });
  const audit = { append: async () => {}, unkept: () => {} };
  const isPerson = (name: string) => everybody.includes(name);
  const links = await openLinks({ database, audit, isPerson, subjectOf: (name) => subjects.get(name) });
  const personOf = (principal: string) => [...links.onePerson(principal)][0];
  return { database, links, isOne: (one: string, other: string) => personOf(one) === personOf(other) };
}

test('A-413 P10: whatever links the gateway takes, nobody whom they tied before becomes two', async () => {
  const subjects = new Map(['ann', 'eve'].map((name) => [name, `sub-${name}`]));
  const property = fc.asyncProperty(fc.array(row, { maxLength: 8 }), async (wishes) => {
    const { database, links, isOne } = await linksWith(subjects, []);
    const tied = [...subjects].map(([name, subject]) => [`person:${name}`, `oidc:${subject}`]);
    for (const each of wishes) {
      const linked = await links.link({ ...each, reason: '' }, 'person:admin');
      if ('value' in linked) tied.push([each.principal, `person:${each.person}`]);
    }
    for (const [one = '', other = ''] of tied) expect(isOne(one, other)).toBe(true);
    await database.destroy();
  });
  await fc.assert(property, { numRuns });
});

test('A-460 P10: a person that has two links, taken by an older gateway or before the sign-in, is one with both', () => {
  const links = [
    { principal: 'person:ann', person: 'bob' },
    { principal: 'oidc:sub-ann', person: 'root' },
  ];
  const approvers = approversWith(links);
  for (const caller of ['person:ann', 'person:bob', 'person:root'])
    for (const by of ['person:ann', 'person:bob', 'person:root'])
      expect(whyNotCounted({ by }, { ...asked('web', 'approver', 1), caller }, approvers)).toBe(
        'own-request',
      );
  const two = asked('web', 'approver', 2);
  expect(suffices(says('ann', 'bob', 'root'), two, approvers)).toBe(false);
  expect(suffices(says('bob', 'eve'), two, approvers)).toBe(true);
});

test('A-460 P10: whatever links there are, and if people sign in later, one person are those whom the links tie, and no others', async () => {
  const rows = fc.uniqueArray(row, { selector: ({ principal }) => principal, maxLength: 6 });
  const property = fc.asyncProperty(rows, fc.subarray(['ann', 'eve']), async (all, signedIn) => {
    const subjects = new Map<string, string>();
    const { database, links, isOne } = await linksWith(subjects, all);
    const check = (left: typeof all) => {
      const tied = [
        ...left.map(({ principal, person }) => [principal, `person:${person}`]),
        ...[...subjects].map(([name, subject]) => [`person:${name}`, `oidc:${subject}`]),
      ];
      const pairs = principals.flatMap((one) => principals.map((other) => [one, other] as const));
      const expected = pairs.filter(([one, other]) => reached(one, tied).has(other));
      expect(pairs.filter(([one, other]) => isOne(one, other))).toEqual(expected);
    };
    check(all);
    for (const name of signedIn) subjects.set(name, `sub-${name}`);
    check(all);
    const [first, ...rest] = all;
    if (first !== undefined) await links.unlink({ ...first, reason: '' }, 'person:admin');
    check(rest);
    await database.destroy();
  });
  await fc.assert(property, { numRuns });
});

function reached(from: string, tied: readonly (readonly string[])[]): ReadonlySet<string> {
  const met = new Set([from]);
  for (let before = 0; before < met.size; ) {
    before = met.size;
    for (const pair of tied) if (pair.some((each) => met.has(each))) for (const each of pair) met.add(each);
  }
  return met;
}

test('A-307 P17: by groups that are old and cannot be read nothing counts', () => {
  const two = asked('web', 'approver', 2);
  expect(suffices(says('ann', 'eve'), two, approversWith([], '', 'eve'))).toBe(false);
  expect(suffices(says('ann'), asked('web', 'approver', 1), approversWith([], '', 'ann'))).toBe(false);
  expect(suffices(says('root'), asked('web', 'approver', 1), approversWith([], '', 'root'))).toBe(true);
});
