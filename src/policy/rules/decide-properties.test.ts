import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parsePolicy } from '../file/parse-policy.ts';
import type { Action, CommandFacts, Policy, Rule } from '../policy.ts';
import { decide } from './decide.ts';

const p1Text = readFileSync(new URL('../../../test/fixtures/policy-p1.yaml', import.meta.url), 'utf8');
const p1 = parse(p1Text);

function parse(text: string): Policy & { version: 1 } {
  const result = parsePolicy(text, 'p.yaml');
  if ('problems' in result || result.policy.version !== 1) throw new Error(JSON.stringify(result));
  return result.policy;
}

const facts = (tool: string, args: readonly string[] = []): CommandFacts => ({
  ...{ agent: 'coder', tool, args, uid: 1000, gid: 1000, cwd: '/app' },
});

const words = ['a', 'b', '-x', '--yes', '--'];
const ruleArbitrary: fc.Arbitrary<string> = fc
  .record(
    {
      tools: fc.subarray(['one', 'two'], { minLength: 1 }),
      args: fc.array(fc.constantFrom('a', 'b', 'a|b', '*', '**'), { maxLength: 3 }),
      flags: fc.subarray(['-x', '--yes'], { minLength: 1 }),
      uids: fc.constant([1000]),
      timeout: fc.constantFrom('1m', '2m'),
    },
    { requiredKeys: [] },
  )
  .chain((rule) =>
    fc.constantFrom('allow', 'ask', 'deny').map((action) => JSON.stringify({ ...rule, action })),
  );

const policyOf = (rules: readonly string[], fallback: string): Policy & { version: 1 } =>
  parse(
    `version: 1\ndefault: ${fallback}\ntools: { one: { strategy: mirror }, two: { strategy: mirror, otherwise: ask } }\n` +
      `rules: [${rules.map((rule, index) => `{ "name": "r${index}", ${rule.slice(1)}`).join(', ')}]\ncomplete: true\n`,
  );

const rulesArbitrary = fc.array(ruleArbitrary, { maxLength: 6 });
const commandArbitrary = fc.tuple(
  fc.constantFrom('one', 'two'),
  fc.array(fc.constantFrom(...words), { maxLength: 4 }),
);
const strictness: Record<Action, number> = { allow: 0, ask: 1, deny: 2 };

test('A-40 P7 the order of the rules never matters', () => {
  fc.assert(
    fc.property(
      rulesArbitrary,
      commandArbitrary,
      fc.constantFrom('ask', 'deny', 'allow'),
      (rules, command, fallback) => {
        const policy = policyOf(rules, fallback);
        const turned = { ...policy, rules: policy.rules.toReversed() };
        const [before, after] = [decide(policy, facts(...command)), decide(turned, facts(...command))];
        expect([after.action, after.code, after.timeoutMs]).toEqual([
          before.action,
          before.code,
          before.timeoutMs,
        ]);
      },
    ),
    { numRuns: 500 },
  );
});

test('P7 one more deny rule never opens anything', () => {
  fc.assert(
    fc.property(rulesArbitrary, ruleArbitrary, commandArbitrary, (rules, extra, command) => {
      const deny = JSON.stringify({ ...JSON.parse(extra), action: 'deny' });
      const before = decide(policyOf(rules, 'ask'), facts(...command)).action;
      const after = decide(policyOf([...rules, deny], 'ask'), facts(...command)).action;
      expect(strictness[after]).toBeGreaterThanOrEqual(strictness[before]);
    }),
    { numRuns: 500 },
  );
});

test('P7 a tool that is not defined is never run, whatever the rules', () => {
  const rules: Rule[] = [{ name: 'all', action: 'allow', reason: '', line: 1 }];
  fc.assert(
    fc.property(fc.string(), (tool) => {
      fc.pre(!p1.tools.has(tool));
      const decision = decide({ ...p1, rules, defaultAction: 'allow' }, facts(tool));
      expect(decision).toMatchObject({ action: 'deny', code: 'tool-unknown' });
    }),
  );
});

test('P7 no beginning of a policy file lets more through than the whole', () => {
  const bytes = Buffer.from(p1Text);
  for (let length = 0; length < bytes.length - 1; length += 7) {
    const result = parsePolicy(bytes.subarray(0, length).toString(), 'p.yaml');
    if ('policy' in result) expect(decide(result.policy, facts('docker', ['ps'])).action).toBe('deny');
    else expect(result.problems.length).toBeGreaterThan(0);
  }
});

test('P7 P21 whatever is done to a policy file, it loads or is refused with its faults', () => {
  const piece = fc.oneof(
    fc.string({ maxLength: 12 }),
    fc.constantFrom('\n', '  ', '- ', '{', '[', ': ', '&a ', '*a', '!x ', '"'),
  );
  const place = fc.nat({ max: p1Text.length });
  fc.assert(
    fc.property(place, fc.nat({ max: 60 }), piece, (at, cut, put) => {
      const result = parsePolicy(`${p1Text.slice(0, at)}${put}${p1Text.slice(at + cut)}`, 'p.yaml');
      if ('problems' in result) expect(result.problems[0]).toMatch(/^p\.yaml:\d+: ./);
      else expect(result.policy.hash).toHaveLength(64);
    }),
    { numRuns: 300 },
  );
});
