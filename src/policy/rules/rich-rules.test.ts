import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parsePolicy } from '../file/parse-policy.ts';
import type { Action, CommandFacts, Decision, Policy } from '../policy.ts';
import { decide } from './decide.ts';

/** Rules with every condition and every effect of the language, for known tools, wrappers and others. */
const conditions = {
  tools: fc.subarray(['git', 'env', 'one'], { minLength: 1 }),
  args: fc.array(fc.constantFrom('log', 'push|log', '*', '**', 'one', '-c'), { maxLength: 3 }),
  flags: fc.subarray(['-c', '--output', '-x'], { minLength: 1 }),
  uids: fc.subarray([1000, 1001], { minLength: 1 }),
  agents: fc.subarray(['coder', 'other'], { minLength: 1 }),
  labels: fc.constantFrom({ team: 'web' }, { team: 'db' }),
  cwd: fc.subarray(['/app/a', '/app/b'], { minLength: 1 }),
};
const effects = {
  timeout: fc.constantFrom('1m', '2m'),
  rate: fc.constantFrom('1/m', '2/h'),
  memory: fc.constantFrom('64m', '128m'),
  'runs-anything': fc.constant(true),
};
const known = { subcommands: fc.subarray(['log', 'push'], { minLength: 1 }) };
const safe = { 'safe-arguments': fc.constant(true) };

const anyOf = (model: Record<string, fc.Arbitrary<unknown>>) => fc.record(model, { requiredKeys: [] });
const rule = fc.oneof(
  anyOf(conditions).map((one) => ({ ...one, action: 'deny' })),
  fc
    .tuple(anyOf({ ...conditions, ...effects }), fc.constantFrom('allow', 'ask'))
    .map(([one, action]) => ({ ...one, action })),
  anyOf({ ...conditions, ...known }).map((one) => ({ ...one, tools: ['git'], action: 'deny' })),
  fc
    .tuple(anyOf({ ...conditions, ...known, ...safe, ...effects }), fc.constantFrom('allow', 'ask'))
    .map(([one, action]) => ({ ...one, tools: ['git'], action })),
);
const rules = fc.array(rule, { maxLength: 7 });

const commands: fc.Arbitrary<CommandFacts> = fc.record({
  agent: fc.constantFrom('coder', 'other'),
  labels: fc.constantFrom({ team: 'web' }, {}),
  tool: fc.constantFrom('git', 'env', 'one'),
  args: fc.array(
    fc.constantFrom('log', 'push', '-c', '--output=x', '--outp=x', '-x', '--', 'one', 'git', 'env', 'a=b'),
    { maxLength: 5 },
  ),
  uid: fc.constantFrom(1000, 1001),
  gid: fc.constant(1000),
  cwd: fc.constantFrom('/app', '/app/a', '/app/b/c'),
});

const ghost = 'strategy: ghost, image: x';

function policyOf(list: readonly object[], fallback = 'ask'): Policy & { version: 1 } {
  const named = list.map((one, index) => JSON.stringify({ ...one, name: `r${index}` }));
  const result = parsePolicy(
    `version: 1\ndefault: ${fallback}\ntools: { git: { ${ghost} }, env: { ${ghost} }, one: { ${ghost}, otherwise: ask } }\n` +
      `rules: [${named.join(', ')}]\ncomplete: true\n`,
    'p.yaml',
  );
  if ('problems' in result || result.policy.version !== 1) throw new Error(JSON.stringify(result));
  return result.policy;
}

/** Everything in a decision except name and reason, which may come from any of several rules. */
const effectOf = ({ action, code, timeoutMs, rates = [], tool }: Decision) => ({
  ...{ action, code, timeoutMs, tool },
  rates: rates.map((rate) => JSON.stringify(rate)).toSorted(),
});
const strictness: Record<Action, number> = { allow: 0, ask: 1, deny: 2 };
const long = { timeout: 300_000 };
const runs = { numRuns: process.env['CLAWRDEN_LONG'] === '1' ? 1000 : 250 };

test('A-40 P7 the order of rules never matters, whatever they say', long, () => {
  const shuffled = rules.chain((list) =>
    fc.tuple(fc.constant(list), fc.shuffledSubarray([...list.keys()], { minLength: list.length })),
  );
  fc.assert(
    fc.property(
      shuffled,
      commands,
      fc.constantFrom('ask', 'deny', 'allow'),
      ([list, order], facts, fallback) => {
        const policy = policyOf(list, fallback);
        const turned = { ...policy, rules: order.flatMap((at) => policy.rules[at] ?? []) };
        expect(effectOf(decide(turned, facts))).toEqual(effectOf(decide(policy, facts)));
      },
    ),
    runs,
  );
});

test('P7 one more deny rule never opens anything, whatever it says', long, () => {
  fc.assert(
    fc.property(
      rules,
      rule,
      commands,
      fc.constantFrom('ask', 'deny', 'allow'),
      (list, extra, facts, fallback) => {
        const denial = Object.fromEntries(
          Object.entries(extra).filter(([key]) => !(key in effects) && key !== 'safe-arguments'),
        );
        const [before, after] = [list, [...list, { ...denial, action: 'deny' }]].map(
          (all) => decide(policyOf(all, fallback), facts).action,
        );
        expect(strictness[after!]).toBeGreaterThanOrEqual(strictness[before!]);
      },
    ),
    runs,
  );
});

test('P7 what no rule is about is left to the default', long, () => {
  fc.assert(
    fc.property(rules, commands, fc.constantFrom('ask', 'deny'), (list, facts, fallback) => {
      const others = list.map((one) => ({ ...one, agents: ['nobody'] }));
      const decision = decide(policyOf(others, fallback), { ...facts, tool: 'git' });
      expect(decision).toMatchObject({ action: fallback, rule: 'default' });
    }),
    runs,
  );
});
