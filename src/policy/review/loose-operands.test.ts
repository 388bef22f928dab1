import { expect, test } from 'vitest';
import { parsePolicy } from '../file/parse-policy.ts';
import { checkPolicy } from './check-policy.ts';

function warningsOf(tool: string, args: string, action: string): readonly string[] {
  const text = `version: 1\ntools: { ${tool}: { strategy: mirror } }\nrules:\n  - { name: a, tools: [${tool}], args: ${args}, action: ${action} }\ncomplete: true\n`;
  const result = parsePolicy(text, 'p.yaml');
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  return checkPolicy(result.policy).warnings.filter((one) => one.includes('as it is written'));
}

test.each([
  ['kubectl', '[get, certs, "**"]', 'deny', '"certs" is an operand of kubectl get'],
  ['kubectl', '["get|describe", "pods|certs", "**"]', 'ask', '"certs" is an operand of kubectl get'],
  ['kubectl', '[get, secret/x]', 'deny', '"secret/x" is an operand of kubectl get'],
  ['kubectl', '[exec, web, "**"]', 'deny', '"web" is an operand of kubectl exec'],
  ['git', '[push, origin, main]', 'deny', '"origin" is an operand of git push'],
])('P7: an operand may have other names: %s %s', (tool, args, action, said) => {
  expect(warningsOf(tool, args, action)).toEqual([expect.stringContaining(said)]);
});

test.each([
  ['kubectl', '[get, secrets, "**"]', 'allow'],
  ['kubectl', '[get, "**"]', 'deny'],
  ['kubectl', '["get|delete", "secrets|SA", "**"]', 'deny'],
  ['kubectl', '[get, "*secret*", "**"]', 'deny'],
  ['kubectl', '[config, set, "**"]', 'deny'],
  ['docker', '[volume, rm, "**"]', 'deny'],
  ['npm', '[cache, clean, "**"]', 'deny'],
  ['npm', '[run, deploy]', 'deny'],
  ['git', '[push, --force]', 'deny'],
  ['git', '[stash, "drop|clear"]', 'deny'],
])('but not here: %s %s %s', (tool, args, action) => {
  expect(warningsOf(tool, args, action)).toEqual([]);
});
