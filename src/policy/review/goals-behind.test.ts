import { expect, test } from 'vitest';
import { parsePolicy } from '../file/parse-policy.ts';
import { checkPolicy } from './check-policy.ts';

function warningsOf(tool: string, args: string, action: string): readonly string[] {
  const text = `version: 1\ntools: { ${tool}: { strategy: mirror } }\nrules:\n  - { name: a, tools: [${tool}], args: ${args}, action: ${action} }\ncomplete: true\n`;
  const result = parsePolicy(text, 'p.yaml');
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  return checkPolicy(result.policy).warnings.filter((one) => one.includes('first goal'));
}

test.each([
  ['make', '[deploy, "**"]', 'deny'],
  ['gmake', '["deploy|release", "**"]', 'ask'],
])('A-214 P7: %s makes a goal of %s behind others, too: %s', (tool, args, action) => {
  expect(warningsOf(tool, args, action)).toEqual([expect.stringContaining('begin them with "**"')]);
});

test.each([
  ['make', '["**", deploy, "**"]', 'deny'],
  ['make', '[deploy, "**"]', 'allow'],
  ['npm', '[publish, "**"]', 'deny'],
])('but not here: %s %s %s', (tool, args, action) => {
  expect(warningsOf(tool, args, action)).toEqual([]);
});
