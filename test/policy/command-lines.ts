import {
  leavesOf,
  type Option,
  type OptionTable,
  type ToolGrammar,
} from '../../src/policy/arguments/tools/grammar.ts';
import { knownTools } from '../../src/policy/arguments/tools/known-tools.ts';

/** Each data file once, by its tool's first name. */
export const knownToolNames: readonly string[] = [
  ...new Map(
    knownTools
      .entries()
      .toReversed()
      .map(([name, grammar]) => [grammar, name]),
  ).values(),
].toSorted();

/** A line in which to try options: they stand between `before` and `after`. */
export interface Line {
  /** The words of the command; the first one, or the one after `busybox`, is the judged tool. */
  readonly program: readonly string[];
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly options: OptionTable;
}

/** A word that does harm if the tool reads it as an option, and not as the value of the word before. */
const probes: Readonly<Record<string, readonly string[]>> = {
  awk: ['-fp.awk'],
  find: ['-delete'],
  git: ['--output=WRITTEN', '-O./c.sh', '--upload-pack=./c.sh', '--edit'],
  kubectl: ['--kubeconfig=kube.yaml'],
  npm: ['--script-shell=./c.sh'],
  pip: ['--log=WRITTEN'],
  sed: ['-fp.sed', '-i'],
  sort: ['-oWRITTEN'],
  ssh: ['-oProxyCommand=./c.sh', '-EWRITTEN'],
  tar: ['-I./c.sh', '--to-command=./c.sh', '--index-file=WRITTEN'],
};

/** For tools without sub-commands. */
const plain: Readonly<Record<string, readonly (readonly [before: string, after: string])[]>> = {
  awk: [
    ['', '1 f'],
    ['-Fx', '1 f'],
  ],
  find: [['.', '']],
  make: [
    ['--version', ''],
    ['--help', ''],
  ],
  node: [['--version', '']],
  perl: [['-v', '']],
  python: [['--version', '']],
  ruby: [['--version', '']],
  grep: [['-e a', 'f']],
  sed: [['-e p', 'f']],
  sort: [['', 'f']],
  ssh: [
    ['-p 9', '127.0.0.1 true'],
    ['127.0.0.1 -p 9', 'true'],
  ],
  tar: [
    ['-cf /dev/null', 'f sub'],
    ['-xf y.tar', ''],
    ['-tf y.tar', ''],
  ],
};

/** Operands for sub-commands that do nothing without them. */
const operands: Readonly<Record<string, string>> = {
  'git ls-remote': '.',
  'git grep': 'a',
  'git commit': '-m x --allow-empty',
  'git blame': 'f',
  'git cat-file': 'HEAD:f',
  'git ls-tree': 'HEAD',
  'git rev-list': 'HEAD',
  'git diff-tree': 'HEAD',
  'git diff-index': 'HEAD',
  'git add': 'f',
  'npm run': 'x',
  'npm view': 'x',
  'pip show': 'pip',
  'cargo pkgid': '--offline',
  'gh pr view': '1',
  'gh pr diff': '1',
  'gh pr checks': '1',
  'gh issue view': '1',
  'gh run view': '1',
  'gh gist view': '1',
  'gh workflow view': '1',
  'gh release view': '1',
  'yarn info': 'x',
  'pnpm why': 'x',
  'docker inspect': 'x',
  'docker logs': 'x',
  'docker port': 'x',
  'docker top': 'x',
  'docker diff': 'x',
  'docker history': 'x',
  'kubectl get': 'pods',
  'kubectl describe': 'pods',
  'kubectl explain': 'pods',
  'kubectl logs': 'x',
  'terraform fmt': 't.tf',
};

/** Other programs with the same name: what is harmless must be harmless in each of them. */
const others: Readonly<Record<string, readonly (readonly string[])[]>> = {
  awk: [['busybox', 'awk'], ['gawk']],
  find: [['busybox', 'find']],
  grep: [['busybox', 'grep']],
  sed: [['busybox', 'sed']],
  sort: [['busybox', 'sort']],
  tar: [['busybox', 'tar']],
};

/** At least one line for every table of options in the data. */
export function linesOf(tool: string): Line[] {
  const own = ownLines(tool, grammarOf(tool));
  return [...own, ...(others[tool] ?? []).flatMap((program) => own.map((line) => ({ ...line, program })))];
}

function ownLines(tool: string, grammar: ToolGrammar): Line[] {
  const program = [tool];
  if (grammar.subcommands === undefined) {
    const lines = plain[tool];
    if (lines === undefined) throw new Error(`there is no line to try the options of ${tool} in`);
    return lines.map(([before, after]) => ({
      ...{ program, before: words(before), after: words(after), options: grammar.options },
    }));
  }
  const harmless = leavesOf(grammar.subcommands).filter((one) => one.harmless);
  const lines = harmless.map(({ name, options }) => ({
    ...{ program, before: words(name), after: words(operands[`${tool} ${name}`] ?? ''), options },
  }));
  const [first] = lines;
  if (first === undefined) throw new Error(`${tool} has no harmless sub-command`);
  return [
    ...lines,
    { ...first, before: [], after: [...first.before, ...first.after], options: grammar.options },
  ];
}

/**
 * Every way to write an option with a value that would do harm, and once with a word after it that must be its value.
 */
export function formsOf(tool: string, { names, value }: Option): string[][] {
  return names.flatMap((name) => {
    // An option without a value here may be the beginning of an option with one.
    if (value === 'none') return [[name], [name, './WRITTEN']];
    const attach = (text: string) => (name.startsWith('--') ? `${name}=${text}` : `${name}${text}`);
    const isLetter = name.length === 2;
    const own = probes[tool] ?? [];
    // Read as its value, or as the options after it in a cluster.
    const inside = isLetter ? own.filter(isShort).map((text) => text.slice(1)) : own;
    const isAttachable = isLetter || name.startsWith('--');
    const attached = isAttachable ? [...harmful, ...inside].map((text) => [attach(text)]) : [];
    if (value === 'optional') return attached;
    return [...attached, ...[...harmful, ...own].map((text) => [name, text])];
  });
}

const isShort = (option: string) => !option.startsWith('--');

const harmful = ['./c.sh', './WRITTEN', './hostile'];

export function grammarOf(tool: string): ToolGrammar {
  const grammar = knownTools.get(tool);
  if (grammar === undefined) throw new Error(`${tool} is not known`);
  return grammar;
}

export function words(line: string): string[] {
  return line.split(' ').filter((word) => word !== '');
}
