import { expect, test } from 'vitest';
import { claimAt, readGroups } from './read-groups.ts';

test.each([
  ['a list', { groups: ['sre', 'web'] }, 'groups', ['sre', 'web']],
  ['one name', { groups: 'sre' }, 'groups', ['sre']],
  ['a path', { access: { here: { roles: ['a'] } } }, 'access.here.roles', ['a']],
  ['a name with dots', { 'https://corp.example/groups': ['b'] }, 'https://corp.example/groups', ['b']],
  ['no group', { groups: [] }, 'groups', []],
])('groups are found: %s', (_what, claims, claim, names) => {
  expect(readGroups(claims, claim)).toEqual({ names });
});

test.each([
  ['elsewhere', { _claim_names: { groups: 'src1' }, _claim_sources: {} }, 'too many'],
  ['hasgroups', { hasgroups: true }, 'too many'],
  ['of another claim', { _claim_names: { address: 'src1' } }, 'sends no claim groups'],
  ['nothing', {}, 'sends no claim groups'],
  ['numbers', { groups: [1] }, 'no list of names'],
  ['an object', { groups: { sre: true } }, 'no list of names'],
  ['more than can be', { groups: Array.from({ length: 1001 }, (_, at) => `g${at}`) }, 'more than 1000'],
])('groups that are not there are named: %s', (_what, claims, missing) => {
  expect(readGroups(claims, 'groups')).toEqual({ missing: expect.stringContaining(missing) });
});

test('a path leads into own properties only', () => {
  for (const path of ['constructor', '__proto__.toString', 'a.length.x', 'a.b.c'])
    expect(claimAt({ a: ['x'] }, path)).toBeUndefined();
});
