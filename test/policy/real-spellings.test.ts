import { describe, expect, test } from 'vitest';
import { leavesOf } from '../../src/policy/arguments/tools/grammar.ts';
import type { Action, Policy, Rule } from '../../src/policy/policy.ts';
import { decide } from '../../src/policy/rules/decide.ts';
import { compileArgs } from '../../src/policy/rules/match-args.ts';
import { indexRules } from '../../src/policy/rules/rule-index.ts';
import { toolDefaults } from '../../src/policy/tool-defaults.ts';
import { sampled } from '../fixtures/sampled.ts';
import { grammarOf, words } from './command-lines.ts';
import {
  findCommand,
  npmCommand,
  perlCommand,
  pythonCommand,
  sshCommand,
  terraformCommand,
} from './real-option-lists.ts';
import { type RealCommand, type RealOption, realCommand, spellingsOf } from './real-options.ts';
import { skipWithout } from './scratch.ts';

const isLong = process.env['CLAWRDEN_LONG'] === '1';

type About = Pick<Rule, 'flags' | 'args'>;

function policyOf(tool: string, action: Action, about: About): Policy {
  const said = { reason: 'r', line: 1, tools: new Set([tool]) };
  const rules: readonly Rule[] = [
    { ...said, name: 'all', action: 'allow' },
    { ...said, name: 'one', action, ...about },
  ];
  const definition = { ...toolDefaults, name: tool, strategy: 'mirror' as const, timeoutMs: 1000 };
  return {
    ...{
      version: 1,
      rules,
      index: indexRules(rules),
      hash: '',
      mode: 'enforce',
      defaultAction: 'deny',
      workspace: '/',
      roots: ['/'],
    },
    ...{ timeoutMs: 1000, approvalExpiresMs: 1000, environment: [], breakers: [], warnings: [] },
    tools: new Map([[tool, definition]]),
  };
}

const actionOf = (policy: Policy, tool: string, args: readonly string[]) =>
  decide(policy, { agent: 'a', tool, args, uid: 1, gid: 1, cwd: '/' }).action;

/** The places for the options of a sub-command, and all its names. */
function placesOf({ tool, words: own }: RealCommand): ((option: readonly string[]) => string[])[] {
  const { subcommands } = grammarOf(tool);
  const leaf = leavesOf(subcommands).find(({ spellings }) =>
    spellings.some((one) => one.join() === own.join()),
  );
  const paths = own.length === 0 ? [own] : (leaf?.spellings ?? []);
  const { style, optionsBehindFirst } = grammarOf(tool);
  const isBehind = optionsBehindFirst === true || (leaf?.style ?? style) !== 'posix';
  return paths.flatMap((path) => [
    (option: readonly string[]) => [...path, ...option],
    (option: readonly string[]) => [...path, ...option, 'x'],
    ...(isBehind ? [(option: readonly string[]) => [...path, 'x', ...option]] : []),
  ]);
}

/** The spellings that evade a rule by one of the names. */
function evasions(command: RealCommand, option: RealOption): string[] {
  const lines = spellingsOf(option, command).flatMap((one) => placesOf(command).map((place) => place(one)));
  return option.names.flatMap((flag) =>
    (['deny', 'ask'] as const).flatMap((action) => {
      const abouts: readonly About[] = [
        { flags: [flag] },
        { args: compileArgs([...command.words, flag, '**']) },
      ];
      const policies = abouts.map((about) => policyOf(command.tool, action, about));
      const open = lines.filter((line) =>
        policies.some((policy) => actionOf(policy, command.tool, line) !== action),
      );
      return open.map((line) => `${action} ${flag}: ${command.tool} ${line.join(' ')}`);
    }),
  );
}

const commandsOf: Readonly<Record<string, () => RealCommand[]>> = {
  cargo: () => leaves('cargo', 9).map((path) => realCommand('cargo', path, '--help')),
  docker: () => leaves('docker', 20).map((path) => realCommand('docker', path, '--help')),
  gh: () => leaves('gh', 12).map((path) => realCommand('gh', path, '--help')),
  find: () => [findCommand()],
  gawk: () => [realCommand('gawk', [], '--help')],
  git: () => leaves('git', 4).map((path) => realCommand('git', path, '-h')),
  grep: () => [realCommand('grep', [], '--help')],
  kubectl: () => leaves('kubectl', 12).map((path) => realCommand('kubectl', path, '--help')),
  make: () => [realCommand('make', [], '--help')],
  node: () => [realCommand('node', [], '--help')],
  npm: () => leaves('npm', 40).map(npmCommand),
  perl: () => [perlCommand()],
  pip: () => leaves('pip', 9).map((path) => realCommand('pip', path, '--help')),
  python3: () => [pythonCommand()],
  sed: () => [realCommand('sed', [], '--help')],
  sort: () => [realCommand('sort', [], '--help')],
  ssh: () => [sshCommand()],
  terraform: () => leaves('terraform', 6).map(terraformCommand),
  tar: () => [realCommand('tar', [], '--help')],
};

/** Some of the sub-commands that have options, by their first names; all in a long run. */
function leaves(tool: string, stride: number): (readonly string[])[] {
  const known = leavesOf(grammarOf(tool).subcommands).filter(({ options }) => options.size > 1);
  return known
    .filter((_, index) => isLong || index % stride === 0)
    .map(({ spellings: [first = []] }) => first);
}

/** They start slowly or have very many options. */
const slow: ReadonlySet<string> = new Set(['cargo', 'kubectl', 'node', 'npm', 'pip', 'terraform']);

/** One in so many spellings may be refused. npm's sub-commands tell of a tenth of its options. */
function fewestFor(tool: string): number {
  return tool === 'npm' ? 7 : 25;
}

/** How many spellings the real tool is asked about. */
function triedOf(tool: string): number {
  if (isLong && tool === 'pip') return 75;
  if (isLong) return slow.has(tool) ? 150 : 300;
  return slow.has(tool) ? 3 : 8;
}

describe('A-74: a deny or an ask by any one name of an option holds for each spelling of it', () => {
  test.for(Object.keys(commandsOf))('%s', { timeout: 900_000 }, (tool, context) => {
    skipWithout(tool, context);
    const commands = commandsOf[tool]?.() ?? [];
    const all = commands.flatMap((command) => command.options.map((option) => ({ command, option })));
    expect(all.flatMap(({ command, option }) => evasions(command, option))).toEqual([]);
    // The tool itself must accept each spelling, or the test proves nothing.
    const written = all.flatMap(({ command, option }) =>
      spellingsOf(option, command).map((spelling) => ({ command, spelling })),
    );
    const tried = sampled(written, triedOf(tool));
    const refused = tried.filter(({ command, spelling }) => !command.accepts(spelling));
    const told = refused.map(({ command, spelling }) => [tool, ...command.words, ...spelling].join(' '));
    // Help does not tell of every option, nor which of an option's names takes the value: some are refused.
    expect(told.length * fewestFor(tool) <= tried.length ? [] : told).toEqual([]);
    expect(all.length).toBeGreaterThan(10);
  });

  test.each(['git status -s', 'docker ps -a', 'kubectl get pods -A', 'tar -cf x y', 'sort -n x'])(
    'and %s, which is without it, is not held back',
    (line) => {
      const [tool = '', ...args] = words(line);
      expect(actionOf(policyOf(tool, 'deny', { flags: ['--output'] }), tool, args)).toBe('allow');
    },
  );
});
