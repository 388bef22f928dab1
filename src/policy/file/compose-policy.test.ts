import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Assignment } from '../assignment.ts';
import { decide } from '../rules/decide.ts';
import { type Additions, composePolicy } from './compose-policy.ts';
import { parseToolFile, type ToolFile } from './tool-file.ts';

const toolFile = (name: string, more = '', body = 'How to use it.'): ToolFile => {
  const text = `---\nname: ${name}\ndescription: a tool\nstrategy: ghost\nimage: x\n${more}---\n${body}\n`;
  const result = parseToolFile(text, `tools/${name}.md`, name);
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  return result.file;
};

const text = `version: 1
tools: { ls: { strategy: mirror } }
networks: { web: { docker-network: web } }
rules:
  - { name: look, tools: [ls, gh], action: allow }
  - { name: no-force, tools: [stripe], flags: [--force], action: deny }
complete: true
`;

const composed = (additions: Additions, policy = text) => {
  const result = composePolicy(policy, 'policy.yaml', additions);
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  return result;
};

const sha256 = (whole: string) => createHash('sha256').update(whole).digest('hex');

const decided = (additions: Additions, tool: string, agent = 'coder', args: string[] = []) => {
  const { action, rule } = decide(composed(additions).policy, {
    agent,
    tool,
    args,
    uid: 1,
    gid: 1,
    cwd: '/app',
  });
  return [action, rule];
};

const assigned = (action: 'ask' | 'allow', tool = 'stripe'): Assignment => ({
  ...{ agent: 'coder', tool, action },
  by: 'person:ann',
});

test('a tool file defines a tool, and only a rule lets it run', () => {
  const toolFiles = [[toolFile('gh')], [toolFile('stripe')]];
  expect(decided({ toolFiles }, 'gh')).toEqual(['allow', 'look']);
  expect(decided({ toolFiles }, 'stripe')).toEqual(['deny', 'default']);
  const { policy } = composed({ toolFiles });
  expect(policy.pages?.get('gh')).toMatchObject({ description: 'a tool', documentation: 'How to use it.' });
});

test('P8 the hash is over policy.yaml, each front matter and all assignments, and not over documentation', () => {
  const files = { toolFiles: [[toolFile('gh')]] };
  const both = { ...files, assignments: [assigned('ask')] };
  for (const additions of [{ toolFiles: [] }, files, both]) {
    const { policy, text: whole } = composed(additions);
    expect(policy.hash).toBe(sha256(whole));
  }
  expect(composed({ toolFiles: [] }).text).toBe(text);
  const hashes = [
    {},
    files,
    both,
    { ...files, assignments: [assigned('allow')] },
    { toolFiles: [[toolFile('gh', 'memory: 2g\n')]] },
    { toolFiles: [[toolFile('hg')]] },
  ].map((additions) => composed({ toolFiles: [], ...additions }).policy.hash);
  expect(new Set(hashes).size).toBe(hashes.length);
  const documented = composed({ toolFiles: [[toolFile('gh', '', 'Another text.')]] });
  expect(documented.policy.hash).toBe(composed(files).policy.hash);
  expect(documented.policy.pages?.get('gh')?.documentation).toBe('Another text.');
});

test('a rule may name a tool that no file defines now: a warning, and a fault where there is no folder', () => {
  const lines = composed({ toolFiles: [[toolFile('gh')]] }).policy.warnings;
  expect(lines).toEqual([
    expect.stringContaining('policy.yaml:6: rules[1].tools[0]: the tool "stripe" is not'),
  ]);
  expect(composePolicy(text, 'policy.yaml', {})).toEqual({
    problems: [expect.stringContaining('"gh" is not'), expect.stringContaining('"stripe" is not')],
  });
});

test.each<[string, ToolFile, string]>([
  ['a name that policy.yaml defines', toolFile('ls'), 'tools/ls.md:2: name: policy.yaml defines ls already'],
  [
    'an unknown network',
    toolFile('gh', 'network: wbe\n'),
    'tools/gh.md:6: network: there is no network "wbe"',
  ],
])('%s makes a tool file faulty, and nothing else', (_, file, line) => {
  const { policy, toolFiles, unfit } = composed({ toolFiles: [[file], [toolFile('stripe')]] });
  expect(unfit).toEqual([expect.stringContaining(line)]);
  expect(toolFiles.map(({ name }) => name)).toEqual(['stripe']);
  expect(policy.tools.get('ls')?.strategy).toBe('mirror');
});

test('a tool file that a rule of policy.yaml does not fit is faulty', () => {
  const strict = text.replace('flags: [--force]', 'subcommands: [refund]');
  const additions = { toolFiles: [[toolFile('stripe')]] };
  expect(composed(additions, strict).unfit).toEqual([
    expect.stringMatching(
      /^tools\/stripe.md:2: name: rule no-force of policy.yaml does not fit: subcommands: .* arguments$/,
    ),
  ]);
  const taught = toolFile(
    'stripe',
    'arguments: { style: gnu, source: tried, subcommands: { refund: {} } }\n',
  );
  expect(composed({ toolFiles: [[taught]] }, strict).unfit).toEqual([]);
});

test('of a tool file the newest version that fits counts', () => {
  const older = toolFile('gh', 'memory: 2g\n');
  const { policy, unfit } = composed({ toolFiles: [[toolFile('gh', 'network: none-such\n'), older]] });
  expect(policy.tools.get('gh')?.memoryBytes).toBe(2 * 1024 ** 3);
  expect(unfit).toHaveLength(1);
});

test('P7 an assignment is one rule of one agent, and deny beats it', () => {
  const toolFiles = [[toolFile('stripe')], [toolFile('hg')]];
  const ask = { toolFiles, assignments: [assigned('ask')] };
  expect(decided(ask, 'stripe')).toEqual(['ask', 'assigned:coder:stripe']);
  expect(decided(ask, 'stripe', 'other')).toEqual(['deny', 'default']);
  expect(decided(ask, 'hg')).toEqual(['deny', 'default']);
  const allow = { toolFiles, assignments: [assigned('allow')] };
  expect(decided(allow, 'stripe')).toEqual(['allow', 'assigned:coder:stripe']);
  expect(decided(allow, 'stripe', 'coder', ['x', '--force'])).toEqual(['deny', 'no-force']);
  expect(decided({ toolFiles: [], assignments: [assigned('allow')] }, 'stripe')).toEqual([
    'deny',
    'tool-unknown',
  ]);
});

test('more tool files than there may be are not in force, and told', () => {
  const names = Array.from({ length: 203 }, (_, at) => `tool-${1000 + at}`);
  const { toolFiles, unfit } = composed({ toolFiles: names.map((name) => [toolFile(name)]) });
  expect([toolFiles.length, unfit.length]).toEqual([200, 3]);
});

test('beside a policy of the first format neither counts, and both are told', () => {
  const additions = { toolFiles: [[toolFile('gh')]], assignments: [assigned('allow', 'gh')] };
  const { policy, unfit } = composed(additions, 'default_action: deny\nrules: []\n');
  expect(policy.tools.has('gh')).toBe(false);
  expect([...unfit, ...policy.warnings]).toEqual(
    expect.arrayContaining([
      expect.stringContaining('a tool file counts only'),
      expect.stringContaining('assignments count only'),
    ]),
  );
});
