import { expect, test } from 'vitest';
import { parsePolicy } from '../file/parse-policy.ts';
import type { Decision } from '../policy.ts';
import { decide } from './decide.ts';

function decided(line: string, ...rules: readonly string[]): Decision {
  const result = parsePolicy(
    `version: 1
networks: { code: { allow: ["git.example:443"] }, prod: { allow: ["prod.example:443"] }, test: { allow: ["test.example:443"] } }
tools:
  git: { strategy: ghost, image: git, network: code, otherwise: ask }
  kubectl: { strategy: ghost, image: kubectl, workspace: read }
rules: [${rules.map((one, at) => `{ name: r${at}, ${one} }`).join(', ')}]
complete: true
`,
    'p.yaml',
  );
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  const [tool = '', ...args] = line.split(' ');
  return decide(result.policy, { agent: 'coder', tool, args, uid: 1000, gid: 1000, cwd: '/app' });
}

const strict =
  'workspace: read, rate: 3/h, stdin: none, network: none, timeout: 1m, memory: 64m, idle-timeout: 5s';
const push = 'tools: [git], args: [push, "**"], action: ask';
const spellings = ['push origin x', '--no-pager push origin x', '-C x push origin', '--strange push origin'];

test.each(spellings)(
  'A-433 P7 a line that is asked about anyway runs as its ask rule says: git %s',
  (line) => {
    const { action, rates, timeoutMs, tool } = decided(`git ${line}`, `${push}, ${strict}`);
    expect({ action, rates, timeoutMs }).toEqual({
      action: 'ask',
      rates: [{ rule: 'r0', most: 3, perMs: 3_600_000 }],
      timeoutMs: 60_000,
    });
    expect(tool).toMatchObject({
      ...{ workspace: 'read', stdin: 'none', network: 'none', memoryBytes: 64 * 1024 ** 2 },
      ...{ idleTimeoutMs: 5000, reach: { network: '', allow: [] } },
    });
  },
);

test.each(spellings)('A-433 P7 also if another rule asks: git %s', (line) => {
  const any = 'tools: [git], action: ask, rate: 9/h, memory: 128m';
  const { action, rates = [], tool } = decided(`git ${line}`, any, `${push}, ${strict}`);
  expect([action, rates.map(({ rule }) => rule).toSorted(), tool?.workspace, tool?.memoryBytes]).toEqual([
    ...['ask', ['r0', 'r1'], 'read', 64 * 1024 ** 2],
  ]);
});

test('A-433 a rule about another line adds nothing', () => {
  const { action, rates, timeoutMs, tool } = decided('git status', `${push}, ${strict}`);
  expect({ action, rates, timeoutMs }).toEqual({ action: 'ask', rates: undefined, timeoutMs: undefined });
  expect(tool).toMatchObject({ workspace: 'write', stdin: 'pipe', reach: { network: 'code' } });
});

test('A-433 by another spelling a rule makes no limit wider, and gives nothing', () => {
  const wide = `${push}, memory: 8g, timeout: 5h, record: full, network: prod, secrets: { T: prod }, environment: [E]`;
  const given = (line: string) => {
    const { timeoutMs, tool } = decided(line, wide);
    return [
      timeoutMs,
      tool?.memoryBytes,
      tool?.record,
      tool?.reach.network,
      tool?.secrets.size,
      tool?.environment,
    ];
  };
  expect(given('git push origin')).toEqual([18_000_000, 8 * 1024 ** 3, 'full', 'prod', 1, ['E']]);
  for (const line of ['git --no-pager push origin', 'git --strange push origin'])
    expect(given(line).slice(1)).toEqual([1024 ** 3, 'none', 'code', 0, []]);
  expect(given('git --strange push origin')[0]).toBeLessThan(18_000_000);
});

test('A-433 P7 a rule that only may be about a line gives it no network, no secrets and no wider limits', () => {
  const look = 'tools: [kubectl], args: [get, "**"], action: allow';
  const ofContext = (name: string) =>
    `tools: [kubectl], args: ["**", "--context=${name}", "**"], action: ask, network: ${name}, secrets: { T: ${name} }, environment: [E], workspace: write, memory: 64m`;
  const given = (line: string) => {
    const { action, rule, tool } = decided(line, look, ofContext('prod'), ofContext('test'));
    return [
      action,
      rule,
      tool?.reach.network,
      tool?.secrets.size,
      tool?.environment,
      tool?.workspace,
      tool?.memoryBytes,
    ];
  };
  // Two rules in doubt name two networks, and neither counts.
  expect(given('kubectl get pods --strange')).toEqual(['ask', 'r1', '', 0, [], 'read', 64 * 1024 ** 2]);
  for (const line of ['kubectl get pods --context=prod', 'kubectl get --context prod pods'])
    expect(given(line)).toEqual(['ask', 'r1', 'prod', 1, ['E'], 'write', 64 * 1024 ** 2]);
  expect(given('kubectl get pods').slice(0, 2)).toEqual(['allow', 'r0']);
});
