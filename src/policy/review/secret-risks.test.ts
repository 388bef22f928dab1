import { describe, expect, it, test } from 'vitest';
import { parsePolicy } from '../file/parse-policy.ts';
import { checkPolicy, type PolicyFindings } from './check-policy.ts';

const given = 'secrets: { A: a }';

/** Of a tool with these keys, and of rules about it. */
function checked(name: string, tool: string, rules: readonly string[], fallback = 'deny'): PolicyFindings {
  const named = rules.map((one, at) => `{ name: r${at}, tools: [${name}], ${one} }`);
  const result = parsePolicy(
    `version: 1\ndefault: ${fallback}\ntools: { ${name}: { strategy: ghost, image: x, ${tool} } }\nrules: [${named.join(', ')}]\ncomplete: true\n`,
    'policy.yaml',
  );
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  return checkPolicy(result.policy);
}

describe('A-430 a known tool with secrets that runs what a file or its line names', () => {
  const warned = (name: string, tool: string, ...rules: readonly string[]) =>
    checked(name, `workspace: read, ${tool}`, rules).warnings.filter((line) =>
      /gives secrets to .* lets it run/.test(line),
    );

  it.each([
    ['action: ask', 'git, a pager'],
    ['subcommands: [pr], action: ask', 'git, a pager'],
    ['args: [pr, "create|comment", "**"], action: ask', 'git, a pager'],
    ['args: [repo, clone, "**"], action: ask, workspace: none', 'programs that its line names'],
    ['args: ["**", clone, "**"], action: ask, workspace: none', 'programs that its line names'],
    ['args: ["re*", clone, "**"], action: ask, workspace: none', 'programs that its line names'],
    ['args: [-R, x, repo, clone, "**"], action: ask, workspace: none', 'programs that its line names'],
    ['subcommands: [repo], action: ask, workspace: none', 'programs that its line names'],
  ])('is told of gh, by %s: %s', (said, what) => {
    expect(warned('gh', 'cpus: 1', `${said}, ${given}`)).toEqual([
      expect.stringMatching(new RegExp(`^rule r0 .* gives secrets to gh, and lets it run ${what}`)),
    ]);
    // What the tool is given, each rule that lets it run has.
    const look = 'subcommands: [status], safe-arguments: true, action: allow';
    expect(warned('gh', given, look, said)).toEqual([
      expect.stringMatching(new RegExp(`^tools.gh gives secrets to gh, and rule r1 .*lets it run ${what}`)),
    ]);
  });

  it.each([
    'subcommands: [pr], safe-arguments: true, action: allow',
    'args: ["pr|issue", "list|view", "**"], safe-arguments: true, action: allow',
    'args: ["pr|issue", "create|comment|edit", "**"], action: ask, workspace: none',
    'subcommands: [repo], action: deny',
  ])('is not told of gh, by %s', (said) => {
    expect(warned('gh', given, said)).toEqual([]);
  });

  it('is told of whatever lets it: otherwise, the default', () => {
    expect(warned('gh', `${given}, otherwise: ask`)).toEqual([
      expect.stringContaining('and tools.gh.otherwise lets it run git'),
    ]);
    const { warnings } = checked('gh', given, [], 'ask');
    expect(warnings.join('\n')).toContain('and default lets it run git');
  });

  it('is told by what the data says of the tool, or the policy', () => {
    const isSafe = 'safe-arguments: true, action: ask';
    expect(warned('kubectl', given, 'subcommands: [get], action: ask')).toEqual([
      expect.stringContaining('programs that its line names'),
    ]);
    expect(warned('kubectl', given, `subcommands: [get], ${isSafe}`)).toEqual([]);
    expect(warned('ssh', given, isSafe)).toEqual([expect.stringContaining('what its configuration names')]);
    expect(warned('ssh', given, `${isSafe}, workspace: none`)).toEqual([]);
    const look = 'look: { safe: true, harmless: "-a" }';
    const go = 'go: { risky: "-b", runs: what go.toml names }';
    const taught = `arguments: { source: x, style: gnu, runs: what x.toml names, subcommands: { ${look}, ${go} } }`;
    const bought = (said: string) => warned('ship-it', `${given}, ${taught}`, said);
    expect(bought('action: ask')).toEqual([expect.stringContaining('lets it run what go.toml names')]);
    expect(bought('args: [look, "**"], action: ask')).toEqual([
      expect.stringContaining('lets it run what x.toml names'),
    ]);
    expect(bought(`subcommands: [look], ${isSafe}`)).toEqual([]);
  });
});

const errorsBy = (name: string, rest: string) =>
  checked(name, 'cpus: 1', [`action: ask, ${given}, ${rest}`]).errors;

test('A-431 secrets for what builds or starts containers of its agent are an error', () => {
  for (const name of ['docker', 'podman', 'nerdctl', 'buildah', 'docker-compose'])
    expect(checked(name, given, ['action: ask']).errors).toEqual([
      expect.stringContaining(`tools.${name} gives secrets to ${name}`),
    ]);
  expect(errorsBy('docker', 'subcommands: [build, run]')).toHaveLength(1);
  expect(errorsBy('docker', 'subcommands: [ps]')).toHaveLength(1);
  expect(errorsBy('docker', 'subcommands: [ps, build], safe-arguments: true')).toHaveLength(1);
  expect(errorsBy('docker', 'subcommands: [ps, logs], safe-arguments: true')).toEqual([]);
});

test.each([
  ['awk', 1],
  ['gawk', 1],
  ['sed', 1],
  // Of these only the version and the help are safe.
  ['node', 0],
  ['python3', 0],
  ['perl', 0],
  ['ruby', 0],
])('A-431 a script on the line is of its agent, whatever is safe: %s, %i errors', (name, count) => {
  expect(errorsBy(name, 'safe-arguments: true')).toHaveLength(count);
});

test.each(['grep', 'sort', 'tar'])('A-431 %s prints files, and what it is given is in one, too', (name) => {
  const { warnings } = checked(name, 'workspace: read', [`action: allow, safe-arguments: true, ${given}`]);
  expect(warnings.filter((line) => line.includes('prints any part of a file'))).toEqual([
    expect.stringContaining(`rule r0 (line 4) gives secrets to ${name}`),
  ]);
});
