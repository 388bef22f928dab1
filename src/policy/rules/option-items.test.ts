import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  leavesOf,
  type Option,
  type Style,
  type Subcommand,
  type ToolGrammar,
} from '../arguments/tools/grammar.ts';
import { knownTools } from '../arguments/tools/known-tools.ts';
import { parsePolicy } from '../file/parse-policy.ts';
import type { Action, Policy } from '../policy.ts';
import { decide } from './decide.ts';

const isLong = process.env['CLAWRDEN_LONG'] === '1';

function load(tool: string, about: string, action: Action = 'deny'): Policy {
  const text = `version: 1\ntools: { ${tool}: { strategy: mirror } }\nrules:\n  - { name: all, tools: [${tool}], action: allow }\n  - { name: one, tools: [${tool}], ${about}, action: ${action} }\ncomplete: true\n`;
  const result = parsePolicy(text, 'p.yaml');
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  return result.policy;
}

const decided = (policy: Policy, tool: string, args: readonly string[]) =>
  decide(policy, { agent: 'a', tool, args, uid: 1, gid: 1, cwd: '/app' });

const quoted = (items: readonly string[]) =>
  `args: [${items.map((item) => JSON.stringify(item)).join(', ')}]`;

interface Case {
  readonly tool: string;
  readonly grammar: ToolGrammar;
  readonly one: Subcommand | undefined;
  readonly option: Option;
  /** Without those that are another option there: `-n` of `git shortlog` is not the `-n` of `git log`. */
  readonly names: readonly string[];
}

const cases: readonly Case[] = [...knownTools.entries()].flatMap(([tool, grammar]) => {
  const leaves = leavesOf(grammar.subcommands);
  const places = leaves.length === 0 ? [undefined] : leaves.filter(({ untold }) => untold !== true);
  return places.flatMap((one) =>
    [...Map.groupBy(one?.options ?? grammar.options, ([, option]) => option)].map(([option, own]) => ({
      ...{ tool, grammar, one, option },
      names: own.map(([name]) => name),
    })),
  );
});

const isLetter = (name: string) => name.length === 2;

/** A letter without a value, to stand before another in one word. */
function companions({ grammar, one, option }: Case): readonly string[] {
  const table = one?.options ?? grammar.options;
  return [...table.keys()]
    .filter((name) => isLetter(name) && table.get(name)?.value === 'none' && table.get(name) !== option)
    .slice(0, 2);
}

/** Every way to write an option, also some that its tool does not take: what holds by `flags` must hold. */
function formsOf(one: Case): string[][] {
  const { option, names, grammar } = one;
  const style: Style = one.one?.style ?? grammar.style;
  const [value = 'x'] = option.values ?? [];
  return names.flatMap((name) => {
    const bundled = isLetter(name)
      ? companions(one).flatMap((other) => [`${other}${name[1]}`, `${name}${other[1]}`])
      : [];
    const dashed =
      style === 'nopt' || style === 'words' ? [name, `-${name}`, name.replace('--', '-')] : [name];
    return [...dashed, ...bundled].flatMap((word) => [
      [word],
      ...(option.value === 'none' ? [] : [[word, value], [`${word}=${value}`], [`${word}${value}`]]),
      ...(option.value === 'optional' ? [[`${word}=true`]] : []),
    ]);
  });
}

/** Before the sub-command, directly behind it, between and behind its operands. */
function linesOf(words: readonly string[], form: readonly string[], { option }: Case): string[][] {
  // A word behind an option that needs a value is that value.
  const isWhole = option.value !== 'required' || form.length > 1;
  return [
    ...(isWhole ? [[...form, ...words]] : []),
    [...words, ...form],
    [...words, ...form, 'y'],
    [...words, 'y', ...form],
    [...words, 'y', ...form, 'z'],
    [...words, '--', ...form],
  ];
}

/** Lines that evade a rule by args, and not the same rule by flags. */
function evasions(one: Case, name: string, items: readonly string[]): string[] {
  const { tool } = one;
  const words = one.one?.spellings[0] ?? [];
  const byFlags = load(tool, `flags: [${JSON.stringify(name)}]`);
  const byArgs = load(tool, quoted([...words, ...items]));
  const asks = load(tool, quoted([...words, ...items]), 'ask');
  const spellings = (one.one?.spellings ?? [[]]).slice(0, 2);
  return spellings
    .flatMap((path) => formsOf(one).flatMap((form) => linesOf(path, form, one)))
    .filter((line) => decided(byFlags, tool, line).rule === 'one')
    .filter((line) => decided(byArgs, tool, line).rule !== 'one' || decided(asks, tool, line).rule !== 'one')
    .filter((line) => isTheOption(one, line))
    .map((line) => `${tool} ${line.join(' ')} under ${items.join(' ')}`);
}

/** Before the sub-command the tool may have another option of that name. */
function isTheOption({ grammar, one, option }: Case, [first = '']: readonly string[]): boolean {
  if (one === undefined || !first.startsWith('-')) return true;
  return option.names.every((name) => (grammar.options.get(name) ?? option) === option);
}

describe('A-104 P7: an option in the args of a strict rule', () => {
  test('holds for every spelling for which the same rule by flags holds', () => {
    const check = (one: Case, at: number) => {
      const name = one.names[at % one.names.length] ?? '';
      return [
        [name, '**'],
        ['**', name, '**'],
      ].flatMap((items) => evasions(one, name, items));
    };
    fc.assert(
      fc.property(fc.nat(cases.length - 1), fc.nat(), (index, at) => {
        const one = cases[index];
        expect(one && check(one, at)).toEqual([]);
      }),
      // All of them take ten minutes: each run with another CLAWRDEN_SEED judges others.
      {
        numRuns: isLong ? 700 : 80,
        seed: 104 + Number(process.env['CLAWRDEN_SEED'] ?? 0),
        endOnFailure: true,
      },
    );
  });

  test('for each tool there are lines, and without the option each is allowed', () => {
    for (const tool of new Set(
      cases.filter(({ grammar }) => grammar.bareCluster !== true).map((one) => one.tool),
    )) {
      const one = cases.find((each) => each.tool === tool && each.option.values === undefined)!;
      const items = [...(one.one?.spellings[0] ?? []), one.option.names[0] ?? '', '**'];
      expect([
        tool,
        decided(load(tool, quoted(items)), tool, [...(one.one?.spellings[0] ?? []), 'y']).rule,
      ]).toEqual([tool, 'all']);
    }
  });
});

const all = '**';

test.each<[string, string[], string]>([
  ['git', ['push', '--force', all], '-uf|-fu origin x|-qf|origin --force|-f --no-force'],
  ['git', ['push', all, '--force', all], 'origin main -uf|-q origin --force main'],
  ['git', ['clean', '-f', all], '-fdx|-df|-xdf|--force|-d -f'],
  ['git', ['clean', '-fdx', all], '-xdf|-f -d -x|-x -d --force'],
  ['git', ['clean', '-*f*', all], '--force|-d -f'],
  ['git', ['branch', '-D', all], '-qD x|-rD x'],
  ['git', ['checkout', '-f', all], '-qf|-fq|-fB x|main -f'],
  ['git', ['reset', '--hard', all], 'HEAD~1 --hard'],
  ['git', ['commit', '-m', '*secret*', all], '-am secret|--message=a-secret|-qmsecret|--message secret'],
  ['docker', ['rm', '-f', all], '-vf x|-fv x|x -f|--force=true x|-f=1 x'],
  ['docker', ['run', '--privileged', all], '--privileged=true x|-it --privileged x'],
  ['npm', ['install', '-g', all], '-gD x|-Dg x|-global x|--g x|x -g|--global=true x'],
  ['npm', ['install', '--location', 'global', all], '--location=global x|x --location global'],
  ['npm', ['install', '--location=global', all], '--location global x'],
  ['go', ['env', '-w', all], '--w A=b|-json --w A=b'],
  ['go', ['test', '-exec', all], '--exec x|-exec=x|--exec=x'],
  ['go', ['build', '-mod=mod', all], '-mod mod|--mod=mod|--mod mod|-v -mod=mod'],
  [
    'terraform',
    ['apply', '-auto-approve', all],
    '--auto-approve|-auto-approve=true|-lock=false -auto-approve',
  ],
  ['terraform', ['apply', '-auto-approve=true', all], '-auto-approve|--auto-approve=1'],
  ['terraform', ['plan', '-out=*'], '-out x|--out=x|--out x'],
  ['kubectl', ['delete', '--all', all], '--all=true pods|pods --all|-n x --all pods'],
  ['kubectl', ['get', '-o', 'yaml', all], '-oyaml pods|--output=yaml pods|pods -o=yaml|pods --output yaml'],
])('A-104: args of %s, %j, hold for each other spelling', (tool, items, lines) => {
  const [command = ''] = items;
  const policy = load(tool, quoted(items));
  const open = lines
    .split('|')
    .filter((line) => decided(policy, tool, [command, ...line.split(' ')]).rule !== 'one');
  expect(open).toEqual([]);
});

test.each<[string, string[], string]>([
  ['npm', ['install', '-g', all], '-g install x'],
  ['terraform', ['destroy', '-auto-approve', all], 'apply -destroy -auto-approve'],
  ['tar', [all, '--to-command=*', all], '-xf x --to-command y'],
  ['tar', ['xf', all], '-x -f a'],
  ['tar', ['-xf', all], 'xvf a'],
  ['tar', ['xf', 'a.tar', all], '-v -xfa.tar'],
  ['python3', ['-c', all], '-Ic x'],
  ['node', ['-e', all], '-pe x'],
  ['node', [all, '--env-file=*', all], 'x.js --env-file=x'],
  ['git', ['-C', '*', 'push', all], '-C/x push'],
])('A-104: args of %s, %j, also hold for %s', (tool, items, line) => {
  expect(decided(load(tool, quoted(items)), tool, line.split(' ')).rule).toBe('one');
});

test.each<[string, string[], string]>([
  ['git', ['push', '--force', all], 'push origin main'],
  ['git', ['push', '--force', all], 'push origin -- --force'],
  ['git', ['push', '--force', all], 'fetch --force'],
  ['git', ['clean', '-fdx', all], 'clean -fd'],
  ['git', ['switch', '-C', all], '-C /x switch main'],
  ['git', ['commit', '-m', 'secret'], 'commit -m other'],
  ['docker', ['run', '--privileged', all], 'run x --privileged'],
  ['go', ['build', '-mod=mod', all], 'build -mod=vendor'],
  ['kubectl', ['get', '-o', 'yaml', all], 'get pods -o json'],
  ['git', ['--version'], 'log --strange'],
])('A-34: args of %s, %j, do not hold for %s', (tool, items, line) => {
  expect(decided(load(tool, quoted(items)), tool, line.split(' ')).rule).toBe('all');
});

test('an allow by args with an option is about that spelling only', () => {
  const text = `version: 1\ntools: { git: { strategy: mirror } }\nrules:\n  - { name: one, tools: [git], args: [clean, -n, "**"], action: allow }\ncomplete: true\n`;
  const result = parsePolicy(text, 'p.yaml');
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  const allowed = (line: string) => decided(result.policy, 'git', line.split(' ')).action;
  expect(['clean -n', 'clean --dry-run', 'clean -dn', 'clean x -n'].map(allowed)).toEqual([
    'allow',
    'deny',
    'deny',
    'deny',
  ]);
});
