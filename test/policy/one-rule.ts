import type { Action, Policy, Rule } from '../../src/policy/policy.ts';
import { decide } from '../../src/policy/rules/decide.ts';
import { indexRules } from '../../src/policy/rules/rule-index.ts';
import { toolDefaults } from '../../src/policy/tool-defaults.ts';

export type About = Pick<Rule, 'flags' | 'args' | 'subcommands'>;

/** Allows the tool, but for one strict rule; made without a file, which takes longer than to judge. */
export function oneRule(tool: string, about: About, action: Action = 'deny'): Policy {
  const said = { reason: 'r', line: 1, tools: new Set([tool]) };
  const rules: readonly Rule[] = [
    { ...said, name: 'all', action: 'allow' },
    { ...said, name: 'one', action, ...about },
  ];
  const definition = { ...toolDefaults, name: tool, strategy: 'mirror' as const, timeoutMs: 1000 };
  return {
    ...{ version: 1, rules, index: indexRules(rules), hash: '', mode: 'enforce', defaultAction: 'deny' },
    ...{ workspace: '/', roots: ['/'], timeoutMs: 1000, approvalExpiresMs: 1000, environment: [] },
    ...{ breakers: [], warnings: [] },
    tools: new Map([[tool, definition]]),
  };
}

/** The rule decides, and not what is allowed. */
export function holds(policy: Policy, tool: string, args: readonly string[]): boolean {
  return decide(policy, { agent: 'a', tool, args, uid: 1, gid: 1, cwd: '/' }).rule === 'one';
}
