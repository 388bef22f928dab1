import { describe, expect, it } from 'vitest';
import { planLines } from '../../text/describe-plan.ts';
import { checkPolicy } from '../review/check-policy.ts';
import { decide } from '../rules/decide.ts';
import { parsePolicy } from './parse-policy.ts';

const networks = 'networks: { one: { allow: ["a.example:443"] } }';

function policyText(tools: string, rules: string): string {
  return ['version: 1', networks, `tools: { ${tools} }`, `rules: [${rules}]`, 'complete: true', ''].join(
    '\n',
  );
}

function parsed(tools: string, rules = '{ name: r, action: allow }') {
  const result = parsePolicy(policyText(tools, rules), 'policy.yaml');
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  return result.policy;
}

const node = (rest: string) => `node: { strategy: ghost, image: "node:24", ${rest} }`;

describe('isolation: session', () => {
  it.each(['network: one', 'egress-bytes: { up: 1m }', 'secrets: { A: a }'])(
    'A-264 is refused at the load with %s',
    (key) => {
      expect(() => parsed(node(`isolation: session, ${key}`))).toThrow('is not to be had in a session');
    },
  );

  it.each(['network: one', 'egress-bytes: { up: 1m }', 'secrets: { A: a }'])(
    'A-264 is refused at the load if a rule has one and the tool the other: %s',
    (key) => {
      const rule = (rest: string) => `{ name: r, tools: [node], action: allow, ${rest} }`;
      expect(() => parsed(node('isolation: session'), rule(key))).toThrow('is not to be had in a session');
      expect(() => parsed(node(key), rule('isolation: session'))).toThrow('is not to be had in a session');
    },
  );

  it('A-264 refuses a command for which two rules together would give a session a network', () => {
    const rules = [
      '{ name: kept, tools: [node], action: allow, isolation: session }',
      '{ name: online, tools: [node], args: [fetch], action: allow, network: one }',
    ].join(', ');
    const policy = parsed(node('cpus: 1'), rules);
    const facts = { agent: 'a', labels: {}, tool: 'node', uid: 1, gid: 1, cwd: '/app' };
    expect(decide(policy, { ...facts, args: ['other'] })).toMatchObject({ tool: { isolation: 'session' } });
    const both = decide(policy, { ...facts, args: ['fetch'] });
    expect(both).toMatchObject({ action: 'deny', rule: 'conflict' });
    expect(both.reason).toContain('which a session goes without');
  });

  it.each(['mirror', 'passthrough'])('has no effect by %s', (strategy) => {
    expect(() => parsed(`node: { strategy: ${strategy}, isolation: session }`)).toThrow('has no effect');
  });

  it('knows no other value', () => {
    expect(() => parsed(node('isolation: shared'))).toThrow('isolation');
  });

  it('is warned of if two tools of one image do not share theirs', () => {
    const two = (rest: string) =>
      checkPolicy(
        parsed(`${node('isolation: session')}, npm: { strategy: ghost, image: "node:24", ${rest} }`),
      ).warnings.filter((line) => line.includes('another session'));
    expect(two('isolation: session')).toEqual([]);
    expect(two('memory: 2g')).toEqual([]);
    expect(two('isolation: session, memory: 2g')).toEqual([
      expect.stringContaining('tools.npm has another session of node:24 than tools.node'),
    ]);
  });

  it('is in the lines of the plan', () => {
    const plan = {
      ...{ agent: 'coder', argv: ['x'], env: [], cwd: '/app', workspace: '/app', uid: 1, gid: 1, umask: 0 },
      ...{ strategy: 'ghost', image: { reference: 'node:24', id: 'sha256:1' }, mounts: [], network: 'none' },
      ...{ limits: {}, stdin: 'pipe', timeoutMs: 0, idleTimeoutMs: 0, policyHash: 'p' },
    };
    const runs = (more: object) =>
      planLines(JSON.stringify({ ...plan, ...more })).find(({ name }) => name === 'runs')?.text;
    expect(runs({})).toContain('in a fresh container of node:24');
    expect(runs({ isolation: 'session' })).toContain("in the agent's session of node:24");
  });
});
