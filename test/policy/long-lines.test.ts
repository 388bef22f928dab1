import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parsePolicy } from '../../src/policy/file/parse-policy.ts';
import type { Policy } from '../../src/policy/policy.ts';
import { decide } from '../../src/policy/rules/decide.ts';
import { referenceAction } from './reference-matcher.ts';

const numRuns = process.env['CLAWRDEN_LONG'] === '1' ? 10_000 : 300;

/** Texts that overlap, end alike and begin alike; each word is made of some. */
const part = fc.constantFrom('a', 'ab', 'abc', 'need', 'needle', 'dle', '.ts', 'src/', 'ą', 'ąęć', '😀', ';');
const piece = fc.array(part, { maxLength: 2 }).map((parts) => parts.join(''));
const pieces = fc.array(piece, { minLength: 1, maxLength: 3 });
const rule = fc.record({
  items: fc.array(fc.array(pieces, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 2 }),
  action: fc.constantFrom('allow', 'ask', 'deny'),
});
const filler = fc.constantFrom('src/x.js', 'zzz', 'b');

/** Some of the rules, and a line of many words with some that one of the rules is about. */
const judged = fc
  .record({
    rules: fc.array(rule, { minLength: 1, maxLength: 6 }),
    which: fc.nat(5),
    between: part,
    filler,
    before: fc.nat(20),
    after: fc.nat(20),
  })
  .map(({ rules, which, between, filler: word, before, after }) => {
    const { items } = rules[which % rules.length]!;
    const meant = items.map((alternatives) => alternatives[0]!.join(between));
    const args = [...Array<string>(before).fill(word), ...meant, ...Array<string>(after).fill(word)];
    return { rules: rules.map(written), args };
  });

function written({ items, action }: { items: string[][][]; action: string }): object {
  const globs = items.map((alternatives) => alternatives.map((one) => one.join('*')).join('|'));
  return { args: ['**', ...globs, '**'], action };
}

function parse(rules: readonly object[]): Policy & { version: 1 } {
  const list = rules.map((one, index) =>
    JSON.stringify({ ...one, name: `r${index}`, tools: ['one', 'env'] }),
  );
  const text = `version: 1\ntools: { one: { strategy: mirror }, env: { strategy: mirror } }\nrules: [${list.join(', ')}]\ncomplete: true\n`;
  const result = parsePolicy(text, 'p.yaml');
  if ('problems' in result || result.policy.version !== 1) throw new Error(JSON.stringify(result));
  return result.policy;
}

test('A-76 P7 on lines of many words without options, the index decides what the slow and obvious matcher does', {
  timeout: 600_000,
}, () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(judged, ({ rules, args }) => {
      const policy = parse(rules);
      const facts = { agent: 'coder', tool: 'one', args, uid: 1, gid: 1, cwd: '/app' };
      const { action } = decide(policy, facts);
      expect(action).toBe(referenceAction(policy.rules, facts));
      seen.add(action);
      // Behind a wrapper the same words stand at later positions.
      const inner = decide(policy, { ...facts, tool: 'env', args: ['one', ...args] }).action;
      if (action === 'deny') expect(inner).toBe('deny');
    }),
    { numRuns },
  );
  expect([...seen].toSorted()).toEqual(['allow', 'ask', 'deny']);
});
