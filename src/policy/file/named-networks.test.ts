import { describe, expect, it, test } from 'vitest';
import { planLines } from '../../text/describe-plan.ts';
import { checkPolicy } from '../review/check-policy.ts';
import { decide } from '../rules/decide.ts';
import { parsePolicy } from './parse-policy.ts';

const facts = { agent: 'coder', tool: 'npm', args: ['ci'], uid: 1000, gid: 1000, cwd: '/app' };

function policyText(networks: string, tool = 'network: registry', rule = ''): string {
  return [
    'version: 1',
    `tools: { npm: { strategy: ghost, image: node, ${tool} } }`,
    `networks: ${networks}`,
    `rules: [{ name: r, tools: [npm], action: allow${rule} }]`,
    'complete: true\n',
  ].join('\n');
}

function parsed(text: string) {
  const result = parsePolicy(text, 'policy.yaml');
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  return result.policy;
}

const registry =
  '{ registry: { allow: ["Registry.Example.:443", "*.cdn.example:443", { to: "npm.corp:4873", private: true }] } }';
const destinations = [
  { to: 'registry.example:443' },
  { to: '*.cdn.example:443' },
  { to: 'npm.corp:4873', private: true },
];

describe('a network by name', () => {
  it('gives its tools the destinations themselves, and no Docker network', () => {
    const { tool } = decide(parsed(policyText(registry)), facts);
    expect(tool?.network).toBe('none');
    expect(tool?.reach).toEqual({ network: 'registry', allow: destinations, routes: [] });
  });

  it('is taken from a tool, or given to it, by a rule', () => {
    const without = decide(parsed(policyText(registry, 'network: registry', ', network: none')), facts);
    expect(without.tool?.reach.allow).toEqual([]);
    const given = decide(parsed(policyText(registry, 'cpus: 1', ', network: registry')), facts);
    expect(given.tool?.reach.allow).toEqual(destinations);
  });

  it('gives way to a Docker network, and the other way round', () => {
    const both = `{ registry: { allow: ["a.example:443"] }, old: { docker-network: real } }`;
    const docker = decide(parsed(policyText(both, 'network: registry', ', network: old')), facts).tool;
    expect([docker?.network, docker?.reach.network]).toEqual(['real', '']);
    const named = decide(parsed(policyText(both, 'network: old', ', network: registry')), facts).tool;
    expect([named?.network, named?.reach.network]).toEqual(['none', 'registry']);
  });

  it('of two rules that name different ones is neither: nothing runs', () => {
    const text = policyText(
      '{ a: { allow: ["a.example:443"] }, b: { allow: ["a.example:443"] } }',
      'cpus: 1',
    ).replace(
      /rules: .*/,
      'rules: [{ name: r, tools: [npm], action: allow, network: a }, { name: s, tools: [npm], action: allow, network: b }]',
    );
    expect(decide(parsed(text), facts).action).toBe('deny');
  });

  it.each([
    ['{ registry: { allow: ["*:443"] } }', 'networks.registry.allow[0]: must be NAME:PORT'],
    ['{ registry: { allow: ["*.com:443"] } }', 'lets all of .com be reached'],
    ['{ registry: { allow: ["registry.example"] } }', 'must be NAME:PORT'],
    ['{ registry: { allow: ["10.0.0.1:80"] } }', 'is not public'],
    ['{ registry: { allow: [{ to: "127.0.0.1:80", private: true }] } }', 'never reached'],
    ['{ registry: { allow: [{ to: "a.example:80", privat: true }] } }', 'nearest valid key is "private"'],
    ['{ registry: { allow: [] } }', 'must not be empty'],
    ['{ registry: {} }', 'must have either allow, routes or both, or docker-network'],
    [
      '{ registry: { allow: ["a.example:443"], docker-network: x } }',
      'must have either allow, routes or both, or docker-network',
    ],
    ['{ registry: { alow: ["a.example:443"] } }', 'nearest valid key is "allow"'],
    [
      '{ registry: { allow: ["a.example:443"] }, none: { allow: ["a.example:443"] } }',
      'none is always no network',
    ],
    [
      '{ registry: { allow: ["a.example:443"] }, "a b": { allow: ["a.example:443"] } }',
      'must have a name of letters',
    ],
  ])('%s is refused', (networks, problem) => {
    const result = parsePolicy(policyText(networks), 'policy.yaml');
    expect('problems' in result ? result.problems.join('\n') : '').toContain(problem);
  });
});

test('a network may have routes, and a tool bounds for its bytes; of two rules the tighter bound counts', () => {
  const networks = '{ registry: { routes: [npm, model, npm] } }';
  const tool = 'network: registry, egress-bytes: { up: 10m, down: 1g }';
  const { tool: own } = decide(parsed(policyText(networks, tool)), facts);
  expect(own?.reach).toEqual({ network: 'registry', allow: [], routes: ['npm', 'model'] });
  expect([own?.egressUpBytes, own?.egressDownBytes]).toEqual([10 * 1024 ** 2, 1024 ** 3]);
  const rules = policyText(networks, tool).replace(
    /rules: .*/,
    'rules: [{ name: r, tools: [npm], action: allow, egress-bytes: { up: 3k } }, { name: s, tools: [npm], action: allow, egress-bytes: { up: 2k } }]',
  );
  const { tool: both } = decide(parsed(rules), facts);
  expect([both?.egressUpBytes, both?.egressDownBytes]).toEqual([2 * 1024, 1024 ** 3]);
});

test('a file with Docker networks means what it meant', () => {
  const { tool } = decide(parsed(policyText('{ registry: { docker-network: real } }')), facts);
  expect([tool?.network, tool?.reach.network]).toEqual(['real', '']);
});

test('policy check says which wildcard leads to strangers, and which bound is of no use', () => {
  const wide = '{ registry: { allow: ["*.github.io:443", "a.example:443"] } }';
  const { warnings } = checkPolicy(parsed(policyText(wide)));
  expect(warnings.filter((line) => line.includes('network registry'))).toEqual([
    'tools.npm: network registry has *.github.io:443, where everybody may have a server: name your own',
  ]);
  const bounded = checkPolicy(parsed(policyText('{}', 'egress-bytes: { up: 1m }'))).warnings;
  expect(bounded).toContain('tools.npm: egress-bytes is of no use without a network by name');
});

test('a plan is shown with each destination in a line of its own', () => {
  const plan = { ...anyPlan, reach: { network: 'registry', allow: destinations, routes: [] } };
  const lines = planLines(JSON.stringify(plan));
  const first = lines.findIndex(({ name }) => name === 'reaches');
  expect(lines.slice(first, first + 4).map(({ text }) => text)).toEqual([
    'network registry',
    'registry.example:443',
    '"*.cdn.example:443"',
    'npm.corp:4873, also at addresses that are not public',
  ]);
});

test('a route is shown with where it leads and what is added, and no two look alike', () => {
  const route = {
    name: 'model',
    to: 'https://m.example/',
    methods: ['POST'],
    headers: ['x-key'],
    secrets: ['key'],
  };
  const textOf = (change: object, most: object = {}) => {
    const reach = { network: 'n', allow: [], routes: [{ ...route, ...change }], most };
    return planLines(JSON.stringify({ ...anyPlan, reach })).map(({ text }) => text);
  };
  expect(textOf({}, { up: 2048 })).toContain('network n, at most 2 KiB there');
  expect(textOf({})).toContain('route model to https://m.example/, methods POST, headers x-key, secrets key');
  const changes = [
    { headers: [] },
    { headers: ['none'] },
    { secrets: [] },
    { methods: ['GET', 'POST'] },
    { private: true },
  ];
  const texts = [{}, ...changes].map((change) => textOf(change).join('\n'));
  expect(new Set(texts).size).toBe(texts.length);
});

const anyPlan = {
  ...{
    agent: 'coder',
    argv: ['npm', 'ci'],
    env: [],
    cwd: '/app',
    workspace: '/app',
    uid: 1,
    gid: 1,
    umask: 18,
  },
  ...{
    strategy: 'ghost',
    image: { reference: 'node', id: 'sha256:0' },
    mounts: [],
    network: 'none',
    stdin: 'none',
  },
  limits: { memoryBytes: 0, cpus: 0, pids: 0, outputBytes: 0, fileBytes: 0 },
  ...{ timeoutMs: 0, idleTimeoutMs: 0, policyHash: 'ab' },
};
