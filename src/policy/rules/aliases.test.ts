import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findSubcommand } from '../arguments/find-subcommand.ts';
import { knownTools } from '../arguments/tools/known-tools.ts';
import { parsePolicy } from '../file/parse-policy.ts';
import type { Action } from '../policy.ts';
import { decide } from './decide.ts';

const actionOf = (tool: string, about: string, action: Action, args: readonly string[]) => {
  const text = `version: 1
tools: { ${tool}: { strategy: mirror } }
rules:
  - { name: all, tools: [${tool}], action: allow }
  - { name: one, tools: [${tool}], ${about}, action: ${action} }
complete: true
`;
  const result = parsePolicy(text, 'p.yaml');
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  return decide(result.policy, { agent: 'a', tool, args, uid: 1000, gid: 1000, cwd: '/app' }).action;
};

const tools = knownTools.entries().flatMap(([tool, grammar]) => {
  const { subcommands } = grammar;
  return subcommands === undefined ? [] : [{ tool, grammar, names: [...subcommands.keys()] }];
});

describe('A-77: an alias evades neither args nor subcommands', () => {
  test.each(tools)('of $tool, wherever it was made', { timeout: 300_000 }, ({ tool, grammar, names }) => {
    const word = fc
      .stringMatching(/^[a-z][a-z-]{0,9}$/)
      .filter((one) => findSubcommand(grammar, one) === undefined);
    const action = fc.constantFrom('deny' as const, 'ask' as const);
    const numRuns = process.env['CLAWRDEN_LONG'] === '1' ? 200 : 25;
    const property = fc.property(fc.constantFrom(...names), word, action, (name, alias, said) => {
      for (const about of [`args: [${name}, "**"]`, `subcommands: [${name}]`])
        for (const args of [
          [alias],
          [alias, 'x', '-y'],
          ...(tool === 'git' ? [['-c', `alias.${alias}=${name}`, alias]] : []),
        ])
          expect(actionOf(tool, about, said, args)).toBe(said);
    });
    fc.assert(property, { numRuns });
  });

  test('what is no alias is allowed', () => {
    expect(actionOf('git', 'args: [push, "**"]', 'deny', ['log', '--oneline'])).toBe('allow');
    expect(actionOf('git', 'subcommands: [push]', 'deny', ['status'])).toBe('allow');
  });
});
