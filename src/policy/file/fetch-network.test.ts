import { expect, it, test } from 'vitest';
import { decide } from '../rules/decide.ts';
import { parsePolicy } from './parse-policy.ts';

const networks = `networks:
  docs: { allow: ["docs.example:443"] }
  mixed: { allow: ["docs.example:443"], routes: [model] }
  model: { routes: [model] }
  host: { docker-network: real }
  inside: { allow: [{ to: "docs.corp:80", private: true }] }
`;

function parse(tool: string, rule = '') {
  const text = `version: 1
${networks}tools:
  page: { strategy: fetch${tool} }
  npm: { strategy: ghost, image: node }
rules:
  - { name: all, tools: [page], action: allow${rule} }
complete: true
`;
  return parsePolicy(text, 'policy.yaml');
}

function decided(tool: string, rule = '') {
  const result = parse(tool, rule);
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  const facts = { agent: 'coder', tool: 'page', args: [], uid: 1000, gid: 1000, cwd: '/app' };
  return decide(result.policy, facts).tool;
}

test('a fetch has 60 s unless it says otherwise, and the network that it names or a rule gives it', () => {
  expect(decided('')).toMatchObject({
    strategy: 'fetch',
    timeoutMs: 60_000,
    network: 'none',
    reach: { network: '' },
  });
  expect(decided(', timeout: 2m')?.timeoutMs).toBe(120_000);
  expect(decided(', network: docs')?.reach).toMatchObject({
    network: 'docs',
    allow: [{ to: 'docs.example:443' }],
  });
  expect(decided('', ', network: mixed')?.reach.network).toBe('mixed');
});

it.each([
  [', network: none', '', 'leaves a fetch nothing'],
  [', network: model', '', 'has no allow in network model'],
  [', network: host', '', 'has no allow in network host'],
  [', network: inside', '', 'docs.corp:80, which is private'],
  ['', ', network: inside', 'docs.corp:80, which is private'],
  ['', ', network: none', 'leaves a fetch nothing'],
  ['', ', strategy: mirror', 'has no effect on page, which is a fetch'],
  [', memory: 64m', '', 'has no effect with strategy fetch'],
  ['', ', workspace: read', 'has no effect on page, which runs by fetch'],
  [', image: node', '', 'has no effect with strategy fetch'],
])('refuses page%s with a rule%s', (tool, rule, what) => {
  const result = parse(tool, rule);
  expect('problems' in result ? result.problems.join('\n') : '').toContain(what);
});
