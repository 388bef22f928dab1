import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readArguments } from '../../src/policy/read-arguments.ts';
import { hasSafeArguments } from '../../src/policy/safe-arguments.ts';
import type { Option } from '../../src/policy/tools/grammar.ts';
import { knownTools } from '../../src/policy/tools/known-tools.ts';
import { Scratch } from './scratch.ts';

let scratch: Scratch;
beforeAll(() => {
  scratch = new Scratch();
});
afterAll(() => scratch[Symbol.dispose]());

function isSafe([tool = '', ...args]: readonly string[]): boolean {
  const grammar = knownTools.get(tool);
  if (grammar === undefined) throw new Error(`${tool} is not known`);
  return hasSafeArguments(grammar, readArguments(grammar, args));
}

const words = (line: string) => line.split(' ');

describe('forms that run or write, by the tool itself, are not safe', () => {
  test.each<readonly string[]>([
    words('tar cf /dev/null --checkpoint=1 --checkpoint-action=exec=./c.sh f'),
    words('tar cf /dev/null --checkpoint=1 --checkpoint-act=exec=./c.sh f'),
    words('tar -I ./c.sh -cf /dev/null f').map((word) => (word === '/dev/null' ? 'o.tar' : word)),
    words('tar -cI./c.sh -f o.tar f'),
    words('tar cIf ./c.sh o.tar f'),
    words('tar --use-compress-program=./c.sh -cf o.tar f'),
    words('tar --use-comp ./c.sh -cf o.tar f'),
    words('tar -xf y.tar --to-command=./c.sh'),
    words('tar xf y.tar --to-comm ./c.sh'),
    words('tar -cML 10 -F ./c.sh -f o.tar f'),
    words('tar --remove-files -cf /dev/null f'),
    words('tar -cf o.tar --listed-incremental=s f'),
    words('tar -tvf y.tar --index-file=s'),
    words('sort -S1K --compress-program=./c.sh f'),
    words('sort -S1K --compress-pr ./c.sh f'),
    words('sort -o o f'),
    words('sort -no o f'),
    words('sort f --outp=o'),
    words('find . -exec ./c.sh ;'),
    words('find . -name f -execdir ./c.sh {} +'),
    words('find . -name f -delete'),
    words('find . -fprint o'),
    words('find . -fprintf o %p'),
    words('find . -fls o'),
    words('git -c alias.x=!./c.sh x'),
    words('git -c core.fsmonitor=./c.sh status'),
    words('git ls-remote --upload-pack=./c.sh .'),
    words('git ls-remote --upload-pa=./c.sh .'),
    words('git ls-remote --exec ./c.sh .'),
    words('git grep --open-files-in-pager=./c.sh a'),
    words('git grep --open-fil=./c.sh a'),
    words('git grep -O./c.sh a'),
    words('git grep -nO./c.sh a'),
    words('git diff --no-index --output=o f sub/g'),
    words('git log -p --output=o'),
    ['sed', '-n', '1e ./c.sh', 'f'],
    ['sed', 's/b/.\\/c.sh #/e', 'f'],
    ['sed', 'w o', 'f'],
    ['sed', 's/b/c/w o', 'f'],
    words('sed -i s/b/c/ f'),
    words('sed -ni d f'),
    words('sed --in-pl s/b/c/ f'),
    ['awk', 'BEGIN { system("./c.sh </dev/null") }'],
    ['awk', 'BEGIN { "./c.sh </dev/null" | getline }'],
    ['awk', '{ print | "./c.sh" }', 'f'],
    ['awk', '{ print > "o" }', 'f'],
  ])('A-27 A-28 A-29 A-30 %s %s %s %s %s %s', (...argv) => {
    const { ran, touched } = scratch.run(argv);
    // What a tool is for is not what we look for here.
    const other = touched.filter((name) => name !== 'o.tar');
    expect({ did: ran || other.length > 0, safe: isSafe(argv) }).toEqual({ did: true, safe: false });
  });
});

/** Commands that each table of options is tried with: the first place takes the option, the last the operands. */
const bases: readonly (readonly [tool: string, before: readonly string[], after: readonly string[]])[] = [
  ['tar', ['-cf', '/dev/null'], ['f', 'sub']],
  ['tar', ['-xf', 'y.tar'], []],
  ['tar', ['-tf', 'y.tar'], []],
  ['sort', [], ['f']],
  ['find', ['.'], []],
  ['grep', ['-e', 'a'], ['f']],
  ['sed', ['-e', 'p'], ['f']],
  ...[...(knownTools.get('git')?.subcommands?.values() ?? [])]
    .filter(({ harmless }) => harmless)
    .map(({ name }) => ['git', [name], name === 'ls-remote' ? ['.'] : name === 'grep' ? ['a'] : []] as const),
];

/** What a tool is for: an archive, what it unpacks, a commit. */
const purposes: ReadonlySet<string> = new Set(['-f', '-C', '-r', '-u', '-A', '-x', '-a']);

function formsOf({ names, value }: Option): string[][] {
  return names.flatMap((name) => {
    if (value === 'none') return [[name]];
    const values = ['./c.sh', 'WRITTEN'];
    const attach = (text: string) => (name.startsWith('--') ? `${name}=${text}` : `${name}${text}`);
    return values.flatMap((text) => [
      ...(value === 'required' ? [[name, text]] : []),
      ...(name.length > 2 && !name.startsWith('--') ? [] : [[attach(text)]]),
    ]);
  });
}

function tableOf([tool, [first = '']]: (typeof bases)[number]): Option[] {
  const grammar = knownTools.get(tool);
  const table = grammar?.subcommands?.get(first)?.options ?? grammar?.options ?? new Map<string, Option>();
  return [...new Set(table.values())].filter(
    ({ harmless, names }) => harmless && !names.some((name) => purposes.has(name)),
  );
}

const everyNth = process.env['CLAWRDEN_LONG'] === '1' ? 1 : 15;
const cases = bases.flatMap((base) =>
  tableOf(base)
    .flatMap(formsOf)
    .map((form) => [base[0], ...base[1], ...form, ...base[2]]),
);

test('options that are called harmless neither run what they are given nor write it', {
  timeout: 300_000,
}, () => {
  const guilty: string[] = [];
  for (const argv of cases.filter((_, index) => index % everyNth === 0)) {
    const { ran, touched } = scratch.run(argv);
    const wrote = touched.some((name) => name !== 'f' && name !== 'sub/g');
    if ((ran || wrote) && isSafe(argv)) guilty.push(`${argv.join(' ')}: ${touched.join(' ')}`);
  }
  expect(cases.length).toBeGreaterThan(900);
  expect(guilty).toEqual([]);
});
