import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parsePolicy } from '../file/parse-policy.ts';
import type { Action, Policy } from '../policy.ts';
import { decide } from './decide.ts';
import { type Asker, outlookOf } from './may-run.ts';

function parse(text: string): Policy {
  const result = parsePolicy(text, 'p.yaml');
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  return result.policy;
}

const agents = ['web', 'db'] as const;
const askers: Record<(typeof agents)[number], Asker> = {
  web: { agent: 'web', labels: { team: 'a' }, uids: [1000] },
  db: { agent: 'db', labels: { team: 'b' }, uids: [1000, 1001] },
};
const words = ['a', 'b', '-x', '--'];
const worth: Record<Action, number> = { allow: 2, ask: 1, deny: 0 };

const rule = fc.record(
  {
    action: fc.constantFrom<Action>('allow', 'ask', 'deny'),
    tools: fc.subarray(['one', 'two'], { minLength: 1 }),
    args: fc.array(fc.constantFrom('a', 'a|b', '*', '**'), { maxLength: 2 }),
    flags: fc.constant(['-x']),
    uids: fc.subarray([1000, 1001], { minLength: 1 }),
    cwd: fc.constant(['/app/x']),
    agents: fc.subarray([...agents], { minLength: 1 }),
    labels: fc.record({ team: fc.constantFrom('a', 'b') }),
  },
  { requiredKeys: ['action'] },
);

function policyOf(rules: readonly object[], fallback: string, mode = 'enforce'): Policy {
  const named = rules.map((each, at) => JSON.stringify({ name: `r${at}`, ...each }));
  return parse(
    `version: 1\nmode: ${mode}\ndefault: ${fallback}\ntools: { one: { strategy: mirror }, two: { strategy: mirror, otherwise: ask } }\n` +
      `rules: [${named.join(', ')}]\ncomplete: true\n`,
  );
}

const command = fc.record({
  agent: fc.constantFrom(...agents),
  tool: fc.constantFrom('one', 'two'),
  args: fc.array(fc.constantFrom(...words), { maxLength: 3 }),
  cwd: fc.constantFrom('/app', '/app/x'),
  at: fc.nat(1),
});
const rules = fc.array(rule, { maxLength: 6 });
const fallback = fc.constantFrom('ask', 'deny');
const numRuns = process.env['CLAWRDEN_LONG'] ? 3000 : 600;

function judged(
  policy: Policy,
  {
    at,
    ...line
  }: { agent: 'web' | 'db'; at: number } & Pick<Parameters<typeof decide>[1], 'tool' | 'args' | 'cwd'>,
) {
  const { labels, uids } = askers[line.agent];
  const uid = uids[at % uids.length] ?? 0;
  return decide(policy, { ...line, labels, uid, gid: uid });
}

test('P7: no command comes to more than the outlook of its tool says', () => {
  fc.assert(
    fc.property(rules, command, fallback, fc.constantFrom('enforce', 'shadow'), (some, line, rest, mode) => {
      const policy = policyOf(some, rest, mode);
      const tool = policy.tools.get(line.tool)!;
      const {
        may: [best],
        rules: about,
      } = outlookOf(policy, tool, askers[line.agent]);
      const decision = judged(policy, line);
      expect(worth[best]).toBeGreaterThanOrEqual(worth[decision.action]);
      const own = policy.rules.some(({ name }) => name === decision.rule);
      if (own) expect(about.map(({ name }) => name)).toContain(decision.rule);
    }),
    { numRuns },
  );
});

test('P18: the outlook of one agent is the same with and without rules about others', () => {
  fc.assert(
    fc.property(rules, rules, fallback, (mine, theirs, rest) => {
      const only = (agent: string) => (each: object) => ({ ...each, agents: [agent] });
      const [first, second] = [mine.map(only('web')), theirs.map(only('db'))];
      const [alone, both] = [policyOf(first, rest), policyOf([...first, ...second], rest)];
      for (const name of ['one', 'two']) {
        const say = (policy: Policy) => {
          const {
            may: [best],
            rules: about,
          } = outlookOf(policy, policy.tools.get(name)!, askers.web);
          return [best, about.map((each) => each.name)];
        };
        expect(say(both)).toEqual(say(alone));
      }
    }),
    { numRuns: numRuns / 4 },
  );
});

test('a tool that a rule denies whole, or that no rule lets run, comes to deny', () => {
  const outlook = (text: object[], rest = 'deny', who: Asker | undefined = askers.web) => {
    const policy = policyOf(text, rest);
    return outlookOf(policy, policy.tools.get('one')!, who).may[0];
  };
  expect(outlook([])).toBe('deny');
  expect(outlook([], 'ask')).toBe('ask');
  expect(outlook([{ action: 'allow', args: ['a'] }])).toBe('allow');
  expect(outlook([{ action: 'allow' }, { action: 'deny', tools: ['one'] }])).toBe('deny');
  expect(outlook([{ action: 'allow' }, { action: 'deny', flags: ['-x'] }])).toBe('allow');
  expect(outlook([{ action: 'allow' }, { action: 'ask' }])).toBe('ask');
  expect(outlook([{ action: 'allow' }, { action: 'deny', uids: [1000] }])).toBe('deny');
  expect(outlook([{ action: 'allow' }, { action: 'deny', uids: [1000] }], 'deny', askers.db)).toBe('allow');
  expect(outlook([{ action: 'allow', uids: [1001] }])).toBe('deny');
  expect(outlook([{ action: 'allow', agents: ['db'] }])).toBe('deny');
  const everybody = policyOf([{ action: 'allow', agents: ['db'] }], 'deny');
  expect(outlookOf(everybody, everybody.tools.get('one')!).may[0]).toBe('allow');
});

test('in the first format the first rule that takes every command of a tool is the last that counts', () => {
  const policy = parse(
    'default_action: deny\nrules:\n  - { command: "g*", args: ["x"], action: ask }\n  - { command: git, action: deny }\n' +
      '  - { command: git, action: allow }\n  - { command: ls, action: allow }\n',
  );
  const say = (name: string) => {
    const {
      may: [best],
      rules: about,
    } = outlookOf(policy, policy.tools.get(name)!);
    return [best, about.map((each) => each.name)];
  };
  expect(say('git')).toEqual(['ask', ['rule-1', 'rule-2']]);
  expect(say('ls')).toEqual(['allow', ['rule-4']]);
});
