import fc from 'fast-check';
import { expect, test } from 'vitest';
import { judge } from '../../gateway/judging/judge.ts';
import { sealJudged } from '../../gateway/judging/seal-plan.ts';
import type { LearnsOf } from '../../gateway/ports/learning.ts';
import { shapeKey, shapeOf } from '../../gateway/scheduler/warm/ghost-shape.ts';
import { noStdin } from '../../src/command.ts';
import type { AgentConfig } from '../../src/config/gateway-config.ts';
import type { Route } from '../../src/egress/route.ts';
import { deedHash, type Plan, type Strategy } from '../../src/plan.ts';
import { parsePolicy } from '../../src/policy/file/parse-policy.ts';
import { explainCommand } from '../../src/policy/rules/explain.ts';
import { planLines } from '../../src/text/describe-plan.ts';

const relay = { kind: 'relay', name: 'host-1', role: 'relay', scope: {} } as const;
const identity = { uid: 1000, gid: 1000 };
const agents = new Map<string, AgentConfig>([
  [
    'coder',
    {
      ...{ name: 'coder', relay: 'host-1', users: [identity], labels: {}, hosts: {}, cwd: '/app' },
      workspace: { kind: 'bind', source: '/srv/coder' },
    },
  ],
]);
const image = {
  id: 'sha256:1',
  env: ['PATH=/bin', 'http_proxy=http://image:1'],
  envHash: 'one',
  volumes: [],
};
const route: Route = {
  ...{ name: 'model', to: 'https://m.example/', methods: ['GET'], private: false },
  ...{ headers: [{ name: 'X-Key', parts: [{ secret: 'key' }] }], environment: { MODEL_URL: '{url}' } },
};
const sources = {
  resolveImage: () => Promise.resolve(image),
  routes: () => new Map([[route.name, route]]),
};
const command = { args: [], cwd: '/app', umask: 0o22, stdio: noStdin, ignored: [], version: 1 };

async function planOf(
  text: string,
  version = 1,
  learnsOf: LearnsOf = () => undefined,
): Promise<{ plan: Plan; page: Map<string, unknown> }> {
  const result = parsePolicy(text, 'p.yaml');
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  const asked = {
    ...command,
    tool: 'tool',
    env: ['LANG=C.UTF-8', 'OTHER=x', 'HTTP_PROXY=http://caller:1'],
    version,
  };
  const request = { executionId: '', agent: 'coder', hostLabels: {}, identity, command: asked };
  const judgement = judge(result.policy, agents, relay, request, () => undefined);
  const { plan, canonical } = await sealJudged(judgement, result.policy, { ...sources, learnsOf });
  return { plan, page: new Map(planLines(canonical).map((line) => [line.name, line.text])) };
}

/** As a person writes it: what the strategy has no effect for is left out, because the policy would be refused. */
const policies = fc.record({
  strategy: fc.constantFrom<Strategy>('ghost', 'mirror', 'passthrough'),
  seconds: fc.integer({ min: 1, max: 86_000 }),
  ofRule: fc.boolean(),
});

function policyText(strategy: Strategy, seconds: number, ofRule: boolean): string {
  const ours = strategy === 'ghost' ? ', image: "node:24", memory: 2g, cpus: 3, pids: 77' : '';
  const more = strategy === 'passthrough' ? '' : ', output: 5k, file-size: 6k, idle-timeout: 7s, stdin: none';
  const time = ofRule ? `, timeout: ${seconds}s` : '';
  return `version: 1
timeout: ${seconds}s
environment: { allow: [LANG] }
tools:
  tool: { strategy: ${strategy}${ours}${more} }
rules:
  - { name: r, tools: [tool], action: ask${time} }
complete: true
`;
}

const nothing = { memoryBytes: 0, cpus: 0, pids: 0, outputBytes: 0, fileBytes: 0 };
const inside = { outputBytes: 5 * 1024, fileBytes: 6 * 1024 };

test('P9 P11: a plan and its page promise what its strategy enforces, and nothing else', async () => {
  await fc.assert(
    fc.asyncProperty(policies, async ({ strategy, seconds, ofRule }) => {
      const { plan, page } = await planOf(policyText(strategy, seconds, ofRule));
      expect(plan.strategy).toBe(strategy);
      const { limits, timeoutMs, idleTimeoutMs, stdin, env } = plan;
      if (strategy === 'passthrough') {
        expect({ limits, timeoutMs, idleTimeoutMs, stdin, env }).toEqual({
          ...{ limits: nothing, timeoutMs: 0, idleTimeoutMs: 0, stdin: 'pipe', env: [] },
        });
        expect([page.get('limits'), page.get('environment')]).toEqual(['none', "the agent's own"]);
        return;
      }
      expect({ timeoutMs, idleTimeoutMs, stdin }).toEqual({
        ...{ timeoutMs: seconds * 1000, idleTimeoutMs: 7000, stdin: 'none' },
      });
      expect(env).toContain('LANG=C.UTF-8');
      const ofGhost = { memoryBytes: 2 * 1024 ** 3, cpus: 3, pids: 77 };
      expect(limits).toEqual({ ...nothing, ...inside, ...(strategy === 'ghost' && ofGhost) });
      const shown = `output 5 KiB, a file 6 KiB, time ${seconds} s, silence 7 s`;
      expect(page.get('limits')).toBe(
        strategy === 'ghost' ? `memory 2 GiB, cpus 3, processes 77, ${shown}` : shown,
      );
    }),
    { numRuns: 60 },
  );
});

test('a passthrough that runs by mirror, for a shim of version 0, has the limits of a mirror', async () => {
  const { plan } = await planOf(policyText('passthrough', 9, false), 0);
  expect(plan).toMatchObject({ strategy: 'mirror', timeoutMs: 9000, limits: nothing });
  expect(plan.env).toContain('LANG=C.UTF-8');
});

test('12: the tightest of what tool and rules say of the workspace is in the plan and on its page', async () => {
  const rules = (['write', 'read', 'none'] as const).flatMap((tool) =>
    (['write', 'read', 'none'] as const).map((rule) => [tool, rule] as const),
  );
  for (const [tool, rule] of rules) {
    const { plan, page } = await planOf(`version: 1
tools: { tool: { strategy: ghost, image: "node:24", workspace: ${tool}, live: 1s } }
rules: [{ name: a, action: allow }, { name: r, tools: [tool], workspace: ${rule}, action: allow }]
complete: true
`);
    // A rule says instead of its tool; of several rules the tightest counts.
    const mount = { kind: 'bind', source: '/srv/coder', target: '/app' } as const;
    const expected = {
      write: { mounts: [mount], cwd: '/app', workspace: '/app', liveMs: 1000 },
      read: { mounts: [{ ...mount, readOnly: true }], cwd: '/app', workspace: '/app' },
      none: { mounts: [], cwd: '/tmp', workspace: '' },
    }[rule];
    expect({ ...plan, ...expected }).toEqual(plan);
    expect([plan.liveMs, page.get('live')]).toEqual(
      rule === 'write' ? [1000, 'every 1 s'] : [undefined, undefined],
    );
    const shown = { write: /at "\/app"$/, read: /at "\/app", read only$/, none: /^none$/ }[rule];
    expect(String(page.get('mounts'))).toMatch(shown);
  }
});

const byName = (routes: string, more = '') => `version: 1
environment: { allow: [HTTP_PROXY, LANG] }
networks: { n: { allow: ["a.example:443"], routes: ${routes} } }
tools: { tool: { strategy: ghost, image: "node:24", network: n${more} } }
rules: [{ name: a, action: allow }]
complete: true
`;

test('a plan has what its network lets be reached, in full, and its clients are told the way', async () => {
  const { plan } = await planOf(byName('[model]', ', egress-bytes: { down: 1k }'));
  expect(plan).toMatchObject({
    network: 'none',
    reach: {
      ...{ network: 'n', allow: [{ to: 'a.example:443' }], most: { down: 1024 } },
      routes: [
        { name: 'model', to: 'https://m.example/', methods: ['GET'], headers: ['X-Key'], secrets: ['key'] },
      ],
    },
  });
  expect(plan.env).toContain('HTTPS_PROXY=http://127.0.0.1:3128');
  expect(plan.env).toContain('MODEL_URL=http://127.0.0.1:3128/model/');
  // Neither the image nor the caller may lead elsewhere.
  expect(
    plan.env.filter((entry) => /^https?_proxy=/i.test(entry)).map((entry) => entry.split('=')[1]),
  ).toEqual(Array(4).fill('http://127.0.0.1:3128'));
});

const learns = { by: 'person:ann', id: '1f' };

test.each<readonly [string, string, boolean]>([
  ['with its network', byName('[model]'), true],
  ['without a network', byName('[model]').replace(', network: n', ''), true],
  ['that is given a secret', byName('[model]', ', secrets: { TOKEN: key }, workspace: none'), false],
  [
    'in a Docker network',
    byName('[model]')
      .replace('network: n', 'network: d')
      .replace('networks: {', 'networks: { d: { docker-network: d },'),
    false,
  ],
  [
    'whose network leads inside',
    byName('[model]').replace('"a.example:443"', '{ to: "a.corp:443", private: true }'),
    false,
  ],
])('A-228: while somebody learns the plan of a tool %s says so: %3$s', async (_what, text, isLearning) => {
  const { plan } = await planOf(text, 1, (agent, tool) =>
    agent === 'coder' && tool === 'tool' ? learns : undefined,
  );
  expect(plan.reach?.learns).toEqual(isLearning ? learns : undefined);
  const { plan: without } = await planOf(text);
  expect(without.reach?.learns).toBeUndefined();
  expect(deedHash(plan) === deedHash(without)).toBe(!isLearning);
});

test('a route that gateway.yaml does not have ends the command before it starts', async () => {
  await expect(planOf(byName('[model, gone]'))).rejects.toMatchObject({ code: 'route-missing' });
});

test('a ghost that was started ahead serves a network by name as well: its container is the same', async () => {
  const { plan: named } = await planOf(byName('[model]'));
  const { plan: without } = await planOf(byName('[model]').replace(', network: n', ''));
  expect(shapeKey(shapeOf(named, undefined))).toBe(shapeKey(shapeOf(without, undefined)));
  expect(without.reach).toBeUndefined();
  expect(without.env.some((entry) => entry.startsWith('HTTPS_PROXY='))).toBe(false);
});

test('policy explain tells no time of a passthrough', () => {
  const times = (['ghost', 'mirror', 'passthrough'] as const).map((strategy) => {
    const result = parsePolicy(policyText(strategy, 9, false), 'p.yaml');
    if ('problems' in result) throw new Error(result.problems.join('\n'));
    const facts = { agent: '', tool: 'tool', args: [], uid: 1, gid: 1, cwd: '/app' };
    return explainCommand(result.policy, facts).timeoutMs;
  });
  expect(times).toEqual([9000, 9000, undefined]);
});
