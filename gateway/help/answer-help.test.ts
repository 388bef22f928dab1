import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parsePolicy } from '../../src/policy/file/parse-policy.ts';
import type { HistoryFilter, HistoryRow } from '../ports/execution-record.ts';
import { createAnswerHelp } from './answer-help.ts';

const policyText = `version: 1
tools:
  ls: { strategy: mirror }
  npm: { strategy: ghost, image: "node:24", timeout: 5m }
  git: { strategy: mirror, otherwise: ask }
  docker: { strategy: mirror }
  secret: { strategy: mirror }
rules:
  - { name: look, tools: [ls], action: allow }
  - { name: install, tools: [npm], args: ["install", "**"], action: ask, reason: "fetches code" }
  - { name: no-global, tools: [npm], flags: ["-g"], action: deny, reason: "it escapes", instead: "install it here" }
  - { name: tests, tools: [npm], args: ["test"], action: allow }
  - { name: theirs, tools: [secret], agents: [other], action: allow }
complete: true
`;

const parsed = parsePolicy(policyText, 'policy.yaml');
if ('problems' in parsed) throw new Error(parsed.problems.join('\n'));
const { policy } = parsed;

const agent = (name: string) => ({
  ...{ name, relay: 'host-1', users: [{ uid: 1000, gid: 1000 }] as const },
  ...{ labels: {}, cwd: '/app', hosts: {} },
});
const agents = new Map(['coder', 'other'].map((name) => [name, agent(name)]));

function help(rows: readonly object[] = [], inForce = policy) {
  const filters: HistoryFilter[] = [];
  const page = async function* (filter: HistoryFilter) {
    filters.push(filter);
    const wanted = rows.filter((row) => (row as { decision: string }).decision === filter.decision);
    yield* wanted.map((record) => ({ record, ...record }) as HistoryRow).slice(0, filter.limit);
  };
  const answer = createAnswerHelp({ policy: () => inForce, agents: () => agents, history: { page } });
  return { filters, answer };
}

const refused = (argv: readonly string[], change: object = {}) => ({
  ...{ decision: 'deny', outcome: 'denied', argv, receivedAt: Date.UTC(2026, 10, 24) },
  ...{ reason: 'denied-by-rule', text: 'it escapes (rule no-global); install it here' },
  ...change,
});

test('P18: it names what this agent may run and what asks, a line each, and its last refusals with what to do instead', async () => {
  const rows = [
    refused(['npm', 'i', '-g', 'x']),
    refused(['git', 'push'], {
      decision: 'ask',
      receivedAt: Date.UTC(2026, 10, 25),
      reason: 'denied-by-person',
    }),
    refused(['git', 'pull'], { decision: 'ask', outcome: 'exited' }),
  ];
  const { answer, filters } = help(rows);
  expect(await answer('coder', [])).toEqual({
    code: 0,
    stderr: '',
    stdout: `Agent coder may run these tools. Each command is judged by itself; clawrden-help TOOL says more.
  ls   runs
  npm  runs, some ask a person first, some are refused
  git  asks a person first
Refused lately:
  2026-11-25T00:00:00.000Z  git push
    denied-by-person: it escapes (rule no-global); install it here
  2026-11-24T00:00:00.000Z  npm i -g x
    denied-by-rule: it escapes (rule no-global); install it here
`,
  });
  expect((await answer('other', [])).stdout).toContain('  secret  runs\n');
  expect(filters.map(({ agent: whose }) => whose)).toEqual(['coder', 'coder', 'other', 'other']);
});

test('of one tool it says where it runs, its rules, and what becomes of the rest', async () => {
  const { answer } = help([refused(['npm', 'i', '-g', 'x']), refused(['ls', '-g'])]);
  expect((await answer('coder', ['npm'])).stdout).toBe(
    `npm: runs, some ask a person first, some are refused
  runs in a fresh container of node:24; network none, workspace write, at most 300 s
  rule install asks: fetches code
  rule no-global refuses: it escapes; install it here
  rule tests allows: the rule "tests" says so
  what no rule is about: is refused
Refused lately:
  2026-11-24T00:00:00.000Z  npm i -g x
    denied-by-rule: it escapes (rule no-global); install it here
`,
  );
});

test('of a tool whose network goes by name it says what can be reached', async () => {
  const named = policyText.replace(
    'tools:\n',
    `networks: { registry: { allow: ["registry.example:443", "*.cdn.example:443"], routes: [npm] } }
tools:
  fetcher: { strategy: ghost, image: node, network: registry, otherwise: ask }
`,
  );
  const result = parsePolicy(named, 'policy.yaml');
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  const { answer } = help([], result.policy);
  expect((await answer('coder', ['fetcher'])).stdout).toContain(
    'network registry (registry.example:443, *.cdn.example:443, route npm), workspace',
  );
});

test('A-226 P18: what the file of a tool says stands in its help, printable and bounded', async () => {
  const documentation = `# ls\n\n\u001b[2Jl\u00eests\u2028\u2029 ${'x'.repeat(200_000)}`;
  const pages = new Map([['ls', { description: 'lists a \u202efolder', documentation }]]);
  const { answer } = help([], { ...policy, pages });
  expect((await answer('coder', [])).stdout).toContain('  ls   runs: lists a \\u{202e}folder\n');
  const { stdout } = await answer('coder', ['ls']);
  expect(stdout).toMatch(
    /\n# ls\n\n\\u\{1b\}\[2Jl\u00eests\\u\{2028\}\\u\{2029\} x+\n\[the rest is left out\]\n$/,
  );
  expect(stdout.length).toBeLessThan(140_000);
});

test('JSON has the same, and a tool of others is no tool', async () => {
  const { answer } = help([refused(['npm', '\u001b[2J'])]);
  const all = JSON.parse((await answer('coder', ['--json'])).stdout);
  expect(all).toMatchObject({
    agent: 'coder',
    tools: [
      { name: 'ls', may: ['allow'], description: '' },
      { name: 'npm', may: ['allow', 'ask', 'deny'] },
      { name: 'git', may: ['ask'] },
    ],
    refusals: [{ tool: 'npm', code: 'denied-by-rule' }],
  });
  expect(JSON.parse((await answer('coder', ['npm', '--json'])).stdout)).toMatchObject({ strategy: 'ghost' });
  for (const name of ['secret', 'docker', 'nothing']) {
    const { code, stdout, stderr } = await answer('coder', [name]);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(new RegExp(`^clawrden-help: there is no tool ${name} that you may run.*\n$`));
  }
  expect(await answer('coder', ['ls', 'npm'])).toMatchObject({ code: 2, stdout: '' });
  expect(await answer('coder', ['--all'])).toMatchObject({ code: 2, stdout: '' });
  expect(await answer('coder', ['--help'])).toMatchObject({ code: 0, stderr: '' });
});

test('P18: whatever an agent asked for and asks, the answer is printable and bounded', async () => {
  const text = fc.string({ unit: 'binary', maxLength: 2000 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(text, { maxLength: 5 }), { maxLength: 8 }),
      text,
      async (lines, ask) => {
        const { answer } = help(lines.map((argv) => refused(['npm', ...argv], { text: argv.join() })));
        for (const args of [[], ['npm'], ['--json'], [ask], [ask, '--json']]) {
          const { stdout, stderr } = await answer('coder', args);
          expect(stdout + stderr).toMatch(/^[\x20-\x7e\n]*$/);
          expect(stdout.length + stderr.length).toBeLessThan(16_000);
        }
      },
    ),
    { numRuns: 50 },
  );
});
