import { describe, expect, it, test } from 'vitest';
import { planLines } from '../../text/describe-plan.ts';
import { checkPolicy } from '../review/check-policy.ts';
import { decide } from '../rules/decide.ts';
import { parsePolicy } from './parse-policy.ts';

const facts = { agent: 'coder', tool: 'gh', args: ['pr'], uid: 1000, gid: 1000, cwd: '/app' };
const rule = '{ name: r, tools: [gh], action: allow }';

function policyText(tool: string, rules = rule, name = 'gh', more = ''): string {
  return [
    'version: 1',
    `tools: { ${name}: { strategy: ghost, image: node, ${tool} } }`,
    more,
    `rules: [${rules}]`,
    'complete: true\n',
  ].join('\n');
}

function parsed(text: string) {
  const result = parsePolicy(text, 'policy.yaml');
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  return result.policy;
}

/** What `policy check` finds in the text of a policy. */
const checked = (...parts: Parameters<typeof policyText>) => checkPolicy(parsed(policyText(...parts)));

const secretsOf = (text: string) => decide(parsed(text), facts).tool?.secrets;

describe('secrets of tools', () => {
  it('come from the tool, and from rules besides, which count more', () => {
    const tool = 'secrets: { GH_TOKEN: gh, /run/secrets/key: key }';
    expect(secretsOf(policyText(tool))).toEqual(
      new Map([
        ['GH_TOKEN', 'gh'],
        ['/run/secrets/key', 'key'],
      ]),
    );
    const more = policyText(
      tool,
      '{ name: r, tools: [gh], action: allow, secrets: { GH_TOKEN: other, X: x } }',
    );
    expect(secretsOf(more)).toEqual(
      new Map([
        ['GH_TOKEN', 'other'],
        ['/run/secrets/key', 'key'],
        ['X', 'x'],
      ]),
    );
  });

  it('A-566: are unmasked only if each rule that gives one says so, in whatever order, and live is the more often one', () => {
    const [plain, shown, both] = [
      'secrets: { U: b }, live: 2s',
      'secrets: { T: a }, unmasked: true, live: 1s',
      '',
    ];
    const unmasked = (...said: readonly (string | undefined)[]) => {
      const rules = said.map(
        (one, at) => `{ name: r${at}, tools: [gh], action: allow, ${one || 'cpus: 1'} }`,
      );
      const { tool } = decide(parsed(policyText('cpus: 2', rules.join(', '))), facts);
      return [tool?.unmasked, tool?.liveMs];
    };
    expect([unmasked(plain, shown), unmasked(shown, plain)]).toEqual([
      [false, 1000],
      [false, 1000],
    ]);
    expect([unmasked(both, shown), unmasked(shown, shown, both)]).toEqual([
      [true, 1000],
      [true, 1000],
    ]);
    expect(unmasked(plain, both)).toEqual([false, 2000]);
  });

  it('A-566: of a tool that gives some, are unmasked only if it says so, too, or a rule that gives none', () => {
    const unmasked = (tool: string, ...said: readonly string[]) => {
      const rules = said.map((one, at) => `{ name: r${at}, tools: [gh], action: allow, ${one} }`);
      return decide(parsed(policyText(tool, rules.join(', '))), facts).tool?.unmasked;
    };
    const [masked, shown] = ['secrets: { A: a }', 'secrets: { A: a }, unmasked: true'];
    const [plain, loose, all] = ['secrets: { U: b }', 'secrets: { T: c }, unmasked: true', 'unmasked: true'];
    expect([unmasked(shown, plain), unmasked(masked, loose), unmasked(masked, all, plain)]).toEqual([
      false,
      false,
      false,
    ]);
    expect([unmasked(shown, loose), unmasked(masked, all), unmasked(masked, all, loose)]).toEqual([
      true,
      true,
      true,
    ]);
  });

  it('of two rules that give others for the same place are neither: nothing runs', () => {
    const rules = ['a', 'b'].map(
      (name) => `{ name: ${name}, tools: [gh], action: allow, secrets: { T: ${name} } }`,
    );
    expect(decide(parsed(policyText('cpus: 1', rules.join(', '))), facts).action).toBe('deny');
  });

  it.each([
    ['PATH: a', 'must be the name of a variable (not PATH or HOME)'],
    ['HOME: a', 'must be the name of a variable (not PATH or HOME)'],
    ['A-B: a', 'must be the name of a variable'],
    ['/run/secrets/../x: a', 'must be the name of a variable'],
    ['/run/secrets/a/b: a', 'must be the name of a variable'],
    ['/run/secrets/.a: a', 'must be the name of a variable'],
    ['/run/secretsx: a', 'must be the name of a variable'],
    ['/etc/passwd: a', 'must be the name of a variable'],
    ['A: "B c"', 'must be a name'],
    ['A: { file: x }', 'must be a text, not a mapping'],
  ])('A-206 %s is refused', (entry, problem) => {
    expect(() => parsed(policyText(`secrets: { ${entry} }`))).toThrow(problem);
  });

  it.each(['mirror', 'passthrough'])('have no effect with strategy %s', (strategy) => {
    const text = policyText('secrets: { A: a }').replace(
      'strategy: ghost, image: node',
      `strategy: ${strategy}`,
    );
    expect(() => parsed(text)).toThrow(`has no effect with strategy ${strategy}`);
  });

  it.each(['/run', '/run/secrets', '/run/secrets/a'])(
    'A-206 P13 have their folder to themselves: %s',
    (path) => {
      const text = policyText('cpus: 1').replace('version: 1', `version: 1\nworkspace: ${path}`);
      expect(() => parsed(text)).toThrow('has no room beside /run/secrets');
    },
  );

  it('that are not there need no unmasked', () => {
    expect(() => parsed(policyText('unmasked: true'))).toThrow('has an effect only with secrets');
  });
});

describe('policy check', () => {
  const errorsOf = (name: string, rules = `{ name: r, tools: [${name}], action: ask }`) =>
    checked('secrets: { A: a }', rules, name).errors;

  test.each(['sh', 'bash', 'node', 'python3.12', 'pypy3', 'make', 'npm', 'env'])(
    'A-207 secrets for %s are an error: it runs what its agent wrote',
    (name) => {
      expect(errorsOf(name)).toEqual([expect.stringContaining(`tools.${name} gives secrets to ${name}`)]);
    },
  );

  it('lets npm have them for what runs no script', () => {
    const given = (rest: string) =>
      checked('cpus: 1', `{ name: r, tools: [npm], action: ask, secrets: { A: a }, ${rest} }`, 'npm').errors;
    expect(given('subcommands: [view], safe-arguments: true')).toEqual([]);
    expect(given('subcommands: [view, install], safe-arguments: true')).toHaveLength(1);
    expect(given('args: [install, "**"]')).toHaveLength(1);
    // Harmless on the line, and yet what package.json names.
    for (const rest of ['subcommands: [run]', 'subcommands: [test]', 'safe-arguments: true'])
      expect(given(rest)).toHaveLength(1);
  });

  it('A-281 only if its arguments are safe, too: npm runs git for what an operand names', () => {
    const given = (tool: string, rest: string) =>
      checked('cpus: 1', `{ name: r, tools: [${tool}], action: ask, secrets: { A: a }, ${rest} }`, tool)
        .errors;
    for (const name of ['view', 'query']) {
      expect(given('npm', `subcommands: [${name}], safe-arguments: true`)).toEqual([]);
      expect(given('npm', `subcommands: [${name}]`)).toHaveLength(1);
    }
    expect(given('terraform', 'subcommands: [version, fmt], safe-arguments: true')).toEqual([]);
    for (const rest of ['subcommands: [version, output], safe-arguments: true', 'safe-arguments: true'])
      expect(given('terraform', rest)).toHaveLength(1);
  });

  it('A-276 warns of a rule that takes them further than its tool does', () => {
    const warned = (effect: string) =>
      checked(
        'secrets: { A: a }, workspace: read, network: one',
        `{ name: r, tools: [gh], action: ask, safe-arguments: true, ${effect} }`,
        'gh',
        'networks: { one: { allow: ["a.example:443"] }, two: { allow: ["a.example:443", "b.example:443"] } }',
      ).warnings.filter((line) => line.includes('secrets of gh') || line.includes('secrets to gh'));
    expect(['network: one', 'workspace: none', 'timeout: 1s'].map(warned)).toEqual([[], [], []]);
    expect(['network: two', 'workspace: write', 'unmasked: true'].map(warned)).toEqual([
      [expect.stringContaining('more than one server')],
      [expect.stringContaining('write them to the workspace')],
      [expect.stringContaining('does not mask')],
    ]);
  });

  it('warns of a tool that it has no data of', () => {
    const warned = (tool: string) =>
      checked(
        'secrets: { A: a }, workspace: read',
        `{ name: r, tools: [${tool}], action: ask }`,
        tool,
      ).warnings.filter((line) => line.includes('nothing is known'));
    expect(warned('ship-it')).toEqual([expect.stringContaining('tools.ship-it gives secrets to ship-it')]);
    expect(warned('gh')).toEqual([]);
  });

  it('A-290 warns of git, whatever its sub-command: a repository names programs that it runs', () => {
    const warned = (tool: string) =>
      checked(
        'workspace: read',
        `{ name: r, tools: [${tool}], subcommands: [status], safe-arguments: true, action: allow, secrets: { A: a } }`,
        tool,
      ).warnings.filter((line) => line.includes('configuration of a repository'));
    expect(warned('git')).toEqual([expect.stringContaining('gives secrets to git')]);
    expect(warned('gh')).toEqual([]);
  });

  it('warns about what takes them out: the workspace, the network, no mask', () => {
    const warned = (tool: string) =>
      checked(
        `secrets: { A: a }, ${tool}`,
        '{ name: r, tools: [gh], action: allow, safe-arguments: true }',
        'gh',
        'networks: { one: { allow: ["a.example:443"] }, two: { allow: ["a.example:443", "b.example:443"] }, any: { allow: ["*.a.example:443"] }, old: { docker-network: real } }',
      ).warnings.filter(
        (line) => line.startsWith('tools.gh gives secrets') || line.includes('does not mask'),
      );
    expect(warned('workspace: read')).toEqual([]);
    expect(warned('workspace: none, network: one')).toEqual([]);
    expect(warned('workspace: write')).toEqual([expect.stringContaining('may write them to the workspace')]);
    for (const network of ['two', 'any', 'old'])
      expect(warned(`workspace: read, network: ${network}`)).toEqual([
        expect.stringContaining('more than one server'),
      ]);
    expect(warned('workspace: read, unmasked: true')).toEqual([expect.stringContaining('does not mask')]);
  });
});

test('a person who is asked sees which secrets are given as what, and whether they are masked', () => {
  const plan = {
    ...{ agent: 'coder', argv: ['gh'], env: [], cwd: '/app', workspace: '/app', uid: 1, gid: 1, umask: 0 },
    ...{
      strategy: 'ghost',
      mounts: [],
      network: 'none',
      limits: {},
      stdin: 'pipe',
      timeoutMs: 0,
      idleTimeoutMs: 0,
    },
    ...{
      policyHash: 'p',
      secrets: [
        { as: '/run/secrets/key', secret: 'key' },
        { as: 'GH_TOKEN', secret: 'gh' },
      ],
    },
  };
  const lines = (more: object) =>
    planLines(JSON.stringify({ ...plan, ...more }))
      .filter((_line, at, all) => at >= all.findIndex(({ name }) => name === 'secrets'))
      .slice(0, 3)
      .map(({ text }) => text);
  expect(lines({})).toEqual([
    '/run/secrets/key is the secret key',
    'GH_TOKEN is the secret gh',
    'masked in its output',
  ]);
  expect(lines({ unmasked: true })[2]).toBe('its agent gets its output as it is');
});
