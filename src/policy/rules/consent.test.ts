import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parsePolicy } from '../file/parse-policy.ts';
import type { Consent, Policy } from '../policy.ts';
import { consentText, strictestConsent } from './consent.ts';
import { decide } from './decide.ts';

const policyOf = (rules: string): Policy => {
  const result = parsePolicy(head + rules + tail, 'policy.yaml');
  if (!('policy' in result)) throw new Error(result.problems.join('\n'));
  return result.policy;
};
const problemsOf = (rule: string): readonly string[] => {
  const result = parsePolicy(`${head}  - ${rule}\n${tail}`, 'policy.yaml');
  return 'problems' in result ? result.problems : [];
};
const head =
  'version: 1\ntools:\n  git: { strategy: ghost, image: g }\n  sh: { strategy: ghost, image: g }\n  env: { strategy: ghost, image: g }\nrules:\n';
const tail = 'complete: true\n';
const decisionOn = (policy: Policy, tool: string, ...args: string[]) =>
  decide(policy, { agent: 'coder', tool, args, uid: 1, gid: 1, cwd: '/app' });

const rules = [
  '{ name: push, tools: [git], args: [push, "**"], action: ask }',
  '{ name: force, tools: [git], args: [push, --force, "**"], action: ask, approvals: 2, approvers: { role: operator } }',
  '{ name: any-force, tools: [git], flags: [-f], action: ask, approvals: 3, approvers: { names: [ann, bob, cara] } }',
  '{ name: wrapped, tools: [env], action: ask, approvers: { names: [ann, bob, cara, dan] } }',
];

test('what rules ask for together is the most of each, and only people whom all of them name', () => {
  const role = fc.constantFrom<Consent['role']>('approver', 'operator', 'admin');
  const some = fc.option(fc.subarray(['ann', 'bob', 'cara'], { minLength: 1 }), { nil: undefined });
  const one = fc
    .record({ approvals: fc.integer({ min: 1, max: 8 }), role, list: some })
    .map(({ list, ...rest }): Consent => ({ ...rest, ...(list && { names: list }) }));
  const roles = ['approver', 'operator', 'admin'];
  fc.assert(
    fc.property(fc.array(one, { minLength: 1, maxLength: 4 }), (all) => {
      const both = strictestConsent([undefined, ...all]);
      expect(strictestConsent(all.toReversed())).toMatchObject({
        approvals: both?.approvals,
        role: both?.role,
      });
      for (const { approvals, role: least, names } of all) {
        expect(both?.approvals).toBeGreaterThanOrEqual(approvals);
        expect(roles.indexOf(both?.role ?? '')).toBeGreaterThanOrEqual(roles.indexOf(least));
        if (names !== undefined)
          expect((both?.names ?? ['all']).every((name) => names.includes(name))).toBe(true);
      }
    }),
  );
  expect(strictestConsent([undefined])).toBeUndefined();
});

test('P7 A-74: no spelling of an option, and no order of the rules, makes fewer people enough', () => {
  const spellings = [
    ['push', '--force'],
    ['push', '-f', 'origin'],
    ['push', '-uf', 'origin', 'main'],
    ['push', 'origin', '--force'],
    ['push', '--forc'],
  ];
  fc.assert(
    fc.property(
      fc.shuffledSubarray(rules, { minLength: 4 }),
      fc.constantFrom(...spellings),
      (order, args) => {
        const policy = policyOf(order.map((rule) => `  - ${rule}\n`).join(''));
        const { action, consent } = decisionOn(policy, 'git', ...args);
        expect([args, action, consent?.approvals]).toEqual([args, 'ask', 3]);
        expect(decisionOn(policy, 'git', 'push', 'origin')).toMatchObject({ action: 'ask', rule: 'push' });
        expect(decisionOn(policy, 'git', 'push', 'origin').consent).toBeUndefined();
        // A wrapper needs what it runs needs, too.
        const wrapped = decisionOn(policy, 'env', 'git', ...args);
        expect(wrapped).toMatchObject({
          action: 'ask',
          consent: { approvals: 3, role: 'operator', names: ['ann', 'bob', 'cara'] },
        });
      },
    ),
  );
});

test('P7: rules that together name fewer people than must say yes refuse the command', () => {
  const policy = policyOf(
    [
      '  - { name: one, tools: [git], action: ask, approvals: 2, approvers: { names: [ann, bob] } }\n',
      '  - { name: two, tools: [git], args: ["**"], action: ask, approvers: { names: [bob, cara] } }\n',
    ].join(''),
  );
  expect(decisionOn(policy, 'git', 'push')).toMatchObject({ action: 'deny', rule: 'conflict' });
});

test('a rule that can never be satisfied, or whose keys have no effect, is refused with its line', () => {
  const rule = (rest: string) => problemsOf(`{ name: r, tools: [git], ${rest} }`);
  expect(rule('action: ask, approvals: 2, approvers: { role: operator, names: [ann, bob] }')).toEqual([]);
  const wrong = {
    'action: ask, approvals: 3, approvers: { names: [ann, bob] }': /fewer than the 3 who must say yes/,
    'action: ask, approvals: 2, approvers: { names: [ann, ann] }': /a name twice/,
    'action: allow, approvals: 2': /only with action ask/,
    'action: deny, approvers: { role: admin }': /only with action ask/,
    'action: ask, approvers: {}': /role or names/,
    'action: ask, approvals: 0': /approvals/,
    'action: ask, approvals: 9': /approvals/,
    'action: ask, approvers: { role: viewer }': /role/,
  };
  for (const [text, why] of Object.entries(wrong)) expect(rule(text).join('\n')).toMatch(why);
});

test('people read what is needed in one line', () => {
  expect(consentText({ approvals: 2, role: 'operator', names: ['ann', 'bob'] })).toBe(
    '2 people with the role operator or above, of ann, bob',
  );
  expect(consentText({ approvals: 1, role: 'admin' })).toBe('one person with the role admin');
});

const doorRules = (...said: string[]) =>
  policyOf(said.map((rule, at) => `  - { name: r${at}, tools: [git], action: ask, ${rule} }\n`).join(''));

test('A-141 P7: only doors that every rule that asks names count, and a rule without answer-in has the usual two', () => {
  const of = (...said: string[]) => decisionOn(doorRules(...said), 'git', 'push', 'origin');
  expect(of('answer-in: [chat, cli]').consent).toMatchObject({ answerIn: ['chat', 'cli'] });
  expect(of('answer-in: [chat, cli]', 'timeout: 1m').consent).toMatchObject({ answerIn: ['cli'] });
  expect(of('timeout: 1m', 'answer-in: [cli]').consent).toMatchObject({ answerIn: ['cli'] });
  expect(of('answer-in: [chat, cli]', 'approvals: 2').consent).toMatchObject({
    answerIn: ['cli'],
    approvals: 2,
  });
  expect(of('answer-in: [chat]', 'timeout: 1m')).toMatchObject({ action: 'deny', rule: 'conflict' });
  expect(of('answer-in: [chat]', 'answer-in: [cli]')).toMatchObject({ action: 'deny', rule: 'conflict' });
  // A rule that only may match takes a door away, too.
  const unsure = of('answer-in: [chat, cli]', 'flags: [--force]');
  expect(unsure.consent).toMatchObject({ answerIn: ['chat', 'cli'] });
  const doubt = decisionOn(doorRules('answer-in: [chat, cli]', 'flags: [--force]'), 'git', 'push', '--forc');
  expect(doubt.consent).toMatchObject({ answerIn: ['cli'] });
});

test('A-141: a wrapper is answered where all that it does may be', () => {
  const policy = policyOf(
    [
      '  - { name: inner, tools: [git], action: ask, answer-in: [chat, cli] }\n',
      '  - { name: outer, tools: [env], action: ask }\n',
    ].join(''),
  );
  expect(decisionOn(policy, 'env', 'git', 'push').consent).toMatchObject({ answerIn: ['cli'] });
});

test('reminders and escalations: the earliest of each', () => {
  const policy = doorRules(
    'remind: 5m',
    'remind: 2m, escalate: { after: 9m, to: b }',
    'escalate: { after: 3m, to: a }',
  );
  expect(decisionOn(policy, 'git', 'push').consent).toMatchObject({
    remindMs: 120_000,
    escalate: { afterMs: 180_000, to: 'a' },
  });
  expect(problemsOf('{ name: x, tools: [git], action: allow, answer-in: [cli] }')[0]).toContain(
    'only with action ask',
  );
  expect(problemsOf('{ name: x, tools: [git], action: ask, answer-in: [phone] }')).toHaveLength(1);
});
