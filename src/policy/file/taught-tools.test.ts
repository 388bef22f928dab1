import { describe, expect, test } from 'vitest';
import type { Policy } from '../policy.ts';
import { checkPolicy } from '../review/check-policy.ts';
import { decide } from '../rules/decide.ts';
import { explainCommand } from '../rules/explain.ts';
import { parsePolicy } from './parse-policy.ts';

const bun = `
      source: bun 1.2, bun --help
      style: words
      harmless: --silent -s --json --version -v
      risky: --cwd=/ --use-yarnrc=
      subcommands:
        list: { harmless: "--depth= --pattern=", safe: true }
        why: { safe: true }
        run: { runs: the scripts of package.json }
        add: { risky: [--exact, "-E,--dev"], does: [run] }`;

const text = (tool: string, taught: string) => `version: 1
tools:
  ${tool}:
    strategy: mirror
    arguments:${taught}
rules:
  - { name: look, tools: [${tool}], safe-arguments: true, action: allow }
  - { name: no-run, tools: [${tool}], subcommands: [run], action: deny }
complete: true
`;

const problemsOf = (tool: string, taught: string) => {
  const result = parsePolicy(text(tool, taught), 'p.yaml');
  return 'problems' in result ? result.problems : [];
};

function policyOf(tool: string, taught: string): Policy {
  const result = parsePolicy(text(tool, taught), 'p.yaml');
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  return result.policy;
}

const facts = (tool: string, args: readonly string[]) => ({
  ...{ agent: 'a', tool, args, uid: 1, gid: 1, cwd: '/app' },
});

test.each([
  ['list --depth=0', 'allow'],
  ['--json why react', 'allow'],
  ['list --strange', 'deny'],
  ['list --cwd=/x', 'deny'],
  ['add react', 'deny'],
  ['run build', 'deny'],
  ['unheard-of', 'deny'],
])('P7 a policy teaches a tool: bun %s is %s', (line, action) => {
  expect(decide(policyOf('bun', bun), facts('bun', line.split(' '))).action).toBe(action);
});

test('what a policy teaches is said by check and by explain', () => {
  const policy = policyOf('bun', bun);
  const { warnings } = checkPolicy(policy);
  expect(warnings).toContainEqual(
    expect.stringMatching(/^p\.yaml:\d+: tools\.bun\.arguments: is all that is known/),
  );
  expect(explainCommand(policy, facts('bun', ['list'])).known).toEqual({
    by: 'policy',
    source: 'bun 1.2, bun --help',
  });
});

const git = (rest: string) => `
      source: git 2.50
      style: gnu
      subcommands:
        run: { safe: false }
        ${rest}`;

test('P7 what a policy adds to a tool that Clawrden knows', () => {
  const policy = policyOf('git', git('log: { harmless: "--new --output=" }'));
  const actionOf = (...args: string[]) => decide(policy, facts('git', args)).action;
  expect(actionOf('log', '--new')).toBe('allow');
  expect(actionOf('log', '--output=x')).toBe('deny');
  expect(actionOf('log', '--newer')).toBe('deny');
  expect(checkPolicy(policy).warnings).toContainEqual(expect.stringContaining("Clawrden's own data counts"));
  expect(explainCommand(policy, facts('git', ['log'])).known?.by).toBe('both');
  expect(explainCommand({ ...policy, known: undefined } as never, facts('git', ['log'])).known?.by).toBe(
    'clawrden',
  );
});

const implying = `
      source: git 2.50
      style: gnu
      also: [{ options: [--work-tree], does: [worktree] }]
      bare: { does: [help] }
      subcommands:
        tree: { also: [{ first-operand: [up], does: [push] }] }
        tree one: { harmless: --up, also: [{ options: [--up], does: [push] }] }
        diff: { risky: --cached, also: [{ options: [--cached], does: [tree] }] }`;

test.each([
  ['subcommands: [push]', 'tree one up', 'deny'],
  ['subcommands: [push]', 'tree one --up', 'deny'],
  ['subcommands: [push]', 'tree one', 'allow'],
  ['subcommands: [tree]', 'diff --cached', 'deny'],
  ['args: [tree, one, "**"]', 'diff --cached', 'deny'],
  ['subcommands: [tree]', 'diff', 'allow'],
  ['subcommands: [worktree]', '--work-tree=/x status', 'deny'],
  ['subcommands: [help]', '', 'deny'],
  ['subcommands: [help]', 'status', 'allow'],
])('A-77 P7 a policy says what else git does: a deny by %s, and %s is %s', (denied, line, action) => {
  const rules = `rules:\n  - { name: no, tools: [git], ${denied}, action: deny }\n  - { name: all, tools: [git], action: allow }\n`;
  const result = parsePolicy(text('git', implying).replace(/rules:[^]*(?=complete)/, rules), 'p.yaml');
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  expect(decide(result.policy, facts('git', line === '' ? [] : line.split(' '))).action).toBe(action);
});

test.each([
  ['git', 'fetch', 'list-from: 1', '[fetch, evil, "**"]', 'fetch origin evil'],
  ['git', 'fetch', 'list-from: 1', '[fetch, origin, main, "**"]', 'fetch origin a main'],
  ['git', 'notes', 'list-from-with: { copy: 2 }', '[notes, copy, b, "**"]', 'notes copy a b'],
  ['git', 'notes', 'words: "copy,clone"', '[notes, clone, "**"]', 'notes copy a b'],
  ['git', 'tag', 'operands-give: { "^": [--delete] }', '[tag, -d, "**"]', 'tag ^x'],
  ['kubectl', 'debug', 'before-slash: -n', '[debug, --namespace, "**"]', 'debug prod/web:x'],
])('A-467 P7 of %s %s a policy says %s: %s denies %s', (tool, name, said, args, line) => {
  const rules = `rules:\n  - { name: no, tools: [${tool}], args: ${args}, action: deny }\n  - { name: all, tools: [${tool}], action: allow }\n`;
  const taught = `
      source: its manual
      style: gnu
      subcommands:
        ${name}: { ${said} }`;
  const result = parsePolicy(text(tool, taught).replace(/rules:[^]*(?=complete)/, rules), 'p.yaml');
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  expect(decide(result.policy, facts(tool, line.split(' '))).action).toBe('deny');
});

describe('A-495 P7 what a policy says of a tool that Clawrden knows counts, or is refused:', () => {
  const added = `
      source: git 2.50
      style: gnu
      harmless: "--fast? --module="
      numbers-apart: [--fast]
      modules: { options: [--module], run-others: evil }`;
  const getKinds = 'subcommands: { get: { resources: true } }';

  test.each([
    ['--fast 5 log', 'allow'],
    ['--module=good log', 'allow'],
    ['--module=evil log', 'deny'],
    ['--module=evil.more log', 'deny'],
  ])('git %s is %s', (line, action) => {
    const rules =
      'rules:\n  - { name: log, tools: [git], subcommands: [log], action: allow }\n  - { name: no, tools: [git], subcommands: [push], action: deny }\n';
    const result = parsePolicy(text('git', added).replace(/rules:[^]*(?=complete)/, rules), 'p.yaml');
    if ('problems' in result) throw new Error(result.problems.join('\n'));
    expect(decide(result.policy, facts('git', line.split(' '))).action).toBe(action);
  });

  test.each([
    ...['bare-cluster: true', 'numbers: true', 'options-behind-first: true', 'options-anywhere: true'],
    ...['values-apart: true', 'optional-behind-equals: true', 'abbreviations: true', 'sets-options: [x]'],
    ...['interpreter: { instead: [-e] }', 'settings: toml', 'plain-settings: a.b', 'run-by-node: true'],
    ...['variables-among-operands: true', 'operands-are-goals: true', 'runs: x'],
  ])('%s', (said) => {
    const taught = `\n      source: git 2.50\n      style: gnu\n      ${said}`;
    const [key = ''] = said.split(':');
    const what = `tools.git.arguments.${key}: cannot be said of git: Clawrden's own data says it`;
    expect(problemsOf('git', taught)).toContainEqual(expect.stringContaining(what));
  });

  test.each([
    ['yarn', 'bare: { does: [install] }', /bare: cannot be said of yarn/],
    ['git', 'numbers-apart: [--paginate]', /numbers-apart: cannot be said of "--paginate"/],
    ['git', 'two-values: [--max-count]', /two-values: cannot be said of "--max-count"/],
    ['git', 'value-forms: { network: [-c] }', /value-forms: cannot be said of "-c"/],
    ['git', 'modules: { options: [-c], run-others: x }', /modules: cannot be said of "-c"/],
    ['git', 'subcommands: { log: { safe: false } }', /log\.safe: cannot be said here/],
    ['git', 'subcommands: { log: { style: words } }', /log\.style: cannot be said here/],
    ['git', 'subcommands: { log: { resources: true } }', /log\.resources: cannot be said here/],
    ['git', 'subcommands: { new: { aliases: [log] } }', /subcommands\.new: "log" is "log"/],
    ['kubectl', 'subcommands: { cp: { before-slash: -c } }', /cp\.before-slash: cannot be said here/],
    ['kubectl', 'resources: { names: widgets }', /resources: has no effect/],
    ['kubectl', `resources: { names: widgets }\n      ${getKinds}`, /resources: has no effect/],
  ])('%s: %s', (tool, said, problem) => {
    const taught = `\n      source: its manual\n      style: gnu\n      ${said}`;
    expect(problemsOf(tool, taught)).toContainEqual(expect.stringMatching(problem));
  });

  test('what it repeats is no other thing', () => {
    const said = 'log: { harmless: --new, safe: true, style: gnu }';
    expect(problemsOf('git', git(said))).toEqual([]);
  });
});

describe('A-466 P7 the option of a directory that a policy teaches', () => {
  const here = (tool: string, taught: string) => {
    const rule = `name: here, tools: [${tool}], cwd: [/app/a], args: ["**"], action: allow`;
    const rules = `rules:\n  - { ${rule} }\n`;
    const result = parsePolicy(text(tool, taught).replace(/rules:[^]*(?=complete)/, rules), 'p.yaml');
    if ('problems' in result) throw new Error(result.problems.join('\n'));
    return result.policy;
  };
  const actionOf = (policy: Policy, ...args: string[]) =>
    decide(policy, { ...facts('bun', args), cwd: '/app/a' }).action;
  const isWarned = (policy: Policy) =>
    checkPolicy(policy).warnings.some((line) => /^rule here \(line \d+\): cwd does not hold/.test(line));

  test('is one that an allow with cwd does not let through', () => {
    const policy = here('bun', bun);
    expect(actionOf(policy, '--silent', 'list')).toBe('allow');
    expect(actionOf(policy, '--cwd', '/app/b', 'list')).toBe('deny');
    expect(isWarned(policy)).toBe(false);
  });

  test.each(['--cwd=', '-C,--change=', '--dir?', '--prefix={a|b}'])(
    'policy check tells of %s, if the data does not say so',
    (option) => {
      const taught = (where: string) => `
      source: bun 1.2
      style: gnu
      ${where}`;
      expect(isWarned(here('bun', taught(`risky: "${option}"`)))).toBe(true);
      expect(isWarned(here('bun', taught(`subcommands: { x: { risky: "${option}" } }`)))).toBe(true);
      expect(isWarned(here('bun', taught('risky: --config= --directory -C,--dir=/')))).toBe(false);
    },
  );

  test('also of what it adds to a tool that Clawrden knows, and not of what Clawrden says of it', () => {
    expect(isWarned(here('git', git('log: { risky: "--chdir=" }')))).toBe(true);
    expect(isWarned(here('pip', git('x: { safe: true }').replace('git 2.50', 'pip 23')))).toBe(false);
  });
});

test.each([
  ['sh', bun, /looks at what sh runs/],
  ['python3.12', bun, /looks at what python3\.12 runs/],
  ['git', bun, /style: must be gnu/],
  ['git', git('stash list: { safe: true }'), /"stash" takes no sub-commands/],
  ['git', git('x: { does: [nothing] }'), /does: there is no sub-command "nothing"/],
  ['git', git('x: { also: [{ options: [--gone], does: [push] }] }'), /options: there is no option "--gone"/],
  ['bun', git('x: { groups: [nothing] }'), /groups: there is no group "nothing"/],
  ['bun', git('x: { harmles: -x }'), /nearest valid key is "harmless"/],
  ['bun', git('x: { harmless: x }'), /"x" is no option/],
  ['bun', git('x: { words: "a,b" }\n        x y: { does: [] }'), /x\.words: has no effect: "x" only sorts/],
  [
    'bun',
    git('x: { operands-give: { "+": [-f] } }\n        z: { aliases: [x y] }'),
    /x\.operands-give: has no effect/,
  ],
  ['bun', git('x: { runs-operands: true }'), /x\.runs-operands: needs other-lines/],
])('of %s this is refused: %s', (tool, taught, problem) => {
  expect(problemsOf(tool, taught)).toContainEqual(expect.stringMatching(problem));
});
