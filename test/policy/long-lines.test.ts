import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parsePolicy } from '../../src/policy/file/parse-policy.ts';
import type { Policy } from '../../src/policy/policy.ts';
import { decide } from '../../src/policy/rules/decide.ts';
import { referenceAction } from './reference-matcher.ts';

const numRuns = process.env['CLAWRDEN_LONG'] === '1' ? 20_000 : 500;

/** Texts that overlap, end alike and begin alike; each word is made of some. */
const part = fc.constantFrom('a', 'ab', 'abc', 'need', 'needle', 'dle', '.ts', 'src/', 'ą', 'ąęć', '😀', ';');
const piece = fc.array(part, { maxLength: 2 }).map((parts) => parts.join(''));
const alternative = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join('*'));
const item = fc.oneof(
  fc.constant('**'),
  fc.array(alternative, { minLength: 1, maxLength: 2 }).map((some) => some.join('|')),
);
const rule = fc.record({
  args: fc.array(item, { maxLength: 4 }).map((items) => ['**', ...items, '**']),
  action: fc.constantFrom('allow', 'ask', 'deny'),
});
const wordOf = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(''));
/** One that a pattern of ours is about, among many. */
const line = fc
  .tuple(fc.nat(60), fc.constantFrom('src/x.js', 'zzz', 'b'), fc.array(wordOf, { maxLength: 3 }), fc.nat(60))
  .map(([before, filler, words, after]) => [
    ...Array<string>(before).fill(filler),
    ...words,
    ...Array<string>(after).fill(filler),
  ]);

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
    fc.property(fc.array(rule, { minLength: 1, maxLength: 6 }), line, (rules, args) => {
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
