import { expect, test } from 'vitest';
import { parsePolicy } from '../../src/policy/file/parse-policy.ts';
import { missingSecrets } from './missing-secrets.ts';

const text = `version: 1
tools:
  gh: { strategy: ghost, image: node, secrets: { A: there, B: gone } }
rules:
  - { name: r, tools: [gh], action: ask, secrets: { C: gone, /run/secrets/d: other } }
complete: true
`;

test('each secret that the policy names and gateway.yaml does not have is told once', () => {
  const result = parsePolicy(text, 'policy.yaml');
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  const told = missingSecrets(result.policy, (name) => name === 'there');
  expect(told.map((line) => / secret (\S+) /.exec(line)?.[1])).toEqual(['gone', 'other']);
});
