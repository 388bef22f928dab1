import { parsePolicy } from '../../src/policy/file/parse-policy.ts';
import type { CommandFacts, Policy } from '../../src/policy/policy.ts';

/** As many as a request may have. */
const most = 32_768;
const letters = 'abcdefghij';

const many = (count: number, word: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => word(index));
const long = (start: string, letter: string) => `${start}${letter.repeat(130_000)}`;
const named = (index: number) => `src/file-${index}-abcdefgh.ts`;

/** Commands as large as a request can be, each in another way; `a` and `other` are tools that no table knows. */
export const limitCommands: Readonly<Record<string, () => readonly string[]>> = {
  'many words': () => ['other', ...many(most, named)],
  'many words of a known tool': () => ['git', 'log', '--', ...many(most - 2, named)],
  'many options': () => ['other', ...many(most, (index) => `--option-${index}=abcdefgh`)],
  'many options of a known tool': () => ['git', 'log', ...many(most - 1, () => '--author=abcdefghijkl')],
  'many switches of a known tool': () => ['git', '--no-pager', 'log', ...many(1990, () => '--oneline')],
  'many options that node reads again': () => [
    'other',
    ...many(most, (index) => `--experimental-config-file=${index}`),
  ],
  'many options that node reads again, of a known tool': () => [
    ...['git', '--no-pager', 'log', '--'],
    ...many(8000, (index) => `--experimental-config-file=${index}`),
  ],
  'many settings of a known tool': () => [
    'git',
    ...many(1990, (index) => `-cuser.name=abcdefgh${index}`),
    'log',
  ],
  'settings that are long': () => [
    'git',
    ...many(90, (index) => `-cuser${'.'.repeat(11_000)}name=${index}`),
    'log',
  ],
  'long words before a sub-command, with an option that is not known': () => [
    'git',
    ...many(7, () => long('', 'a')).flatMap((word) => ['-C', word]),
    ...['log', '--zz'],
  ],
  'numbers before a sub-command, with an option that is not known': () => [
    'git',
    ...many(most - 2, () => '-1'),
    ...['log', '--zz'],
  ],
  'many values of a known tool': () => [
    'git',
    ...many(1990, () => 'x').flatMap((word) => ['-C', word]),
    'log',
  ],
  'goals of make that are long': () => ['make', ...many(50, (index) => `x${index}${'.c'.repeat(10_000)}`)],
  'a few goals of make that are long': () => ['make', ...many(8, () => '/x'.repeat(65_000))],
  'words of a command that a tool runs': () => ['npm', 'exec', ...many(most - 1, () => 'a')],
  'goals of make that are short': () => ['make', ...many(most, (index) => `Mx${index}`)],
  'variables of make': () => ['make', ...many(990, (index) => `V${index}=1`)],
  'operands that begin with a blank': () => ['git', 'push', ...many(most - 1, (index) => ` x${index}`)],
  'operands behind a switch': () => ['git', '--no-pager', 'log', ...many(most - 2, (index) => `a=${index}`)],
  'operands of a list': () => ['git', 'add', ...many(most - 1, named)],
  'names of a kind': () => ['kubectl', 'delete', 'pods', ...many(most - 2, (index) => `n${index}`)],
  'kinds with names': () => ['kubectl', 'delete', ...many(99, (index) => `all/n${index}`)],
  'one short word again and again': () => ['other', ...many(most, () => 'a')],
  'two words in turn': () => ['other', ...many(most, (index) => (index % 2 === 0 ? 'a' : 'b'))],
  'all of the words that rules are about, in another order': () => [
    'other',
    'b',
    ...many(most - 1, () => 'a'),
  ],
  'words that rules are about': () => ['other', ...many(most, (index) => `needle${index % 1000}`)],
  'a few long words': () => ['other', ...many(8, (index) => long('', letters.charAt(index)))],
  'letters in a row': () => ['tar', ...many(8, () => long('-', 'v'))],
  'letters in a row, of any tool': () => ['other', ...many(8, () => long('-', 'v'))],
  'wrappers around many words': () => [
    'env',
    'timeout',
    '5',
    'nice',
    'nohup',
    'other',
    ...many(most - 6, named),
  ],
  'wrappers around many options': () => [
    ...['env', 'timeout', '5', 'nice', 'nohup', 'other'],
    ...many(most - 6, (index) => `--option-${index}=abcdefgh`),
  ],
  'wrappers around as many options as are read': () => [
    ...['env', 'timeout', '5', 'nice', 'nohup', 'other'],
    ...many(1990, (index) => `--option-${index}`),
    '--',
    ...many(most - 2000, named),
  ],
  'a script for a shell': () => ['sh', '-c', `other ${'abc/d '.repeat(21_000)}`],
  'a long script for sed': () => ['sed', `s/${'[a]'.repeat(43_000)}/b/`],
};

const letter = (index: number) => letters.charAt(index % letters.length);

/** The kinds of rules, each a thousand times. */
export const limitRules: Readonly<Record<string, (index: number) => string>> = {
  flags: (index) => `flags: [--flag-${index}, -${letter(index)}]`,
  'flags that are given': (index) => `flags: [--no-pager, --flag-${index}]`,
  'flags that node reads again': (index) =>
    `flags: [--no-pager, --experimental-config-file, --flag-${index}]`,
  'many flags each': (index) => `flags: [${many(20, (place) => `--f${index}-${place}`).join(', ')}]`,
  'flags of several letters': (index) => `flags: [-a${index}, -${letter(index)}x${index}]`,
  'first words': (index) => `args: [x${index}, "**"]`,
  'first words that begin with anything': (index) => `args: ["*x${index}", "**"]`,
  'first words with anything around': (index) => `args: ["*a${index}b*|*c${index}*", "**"]`,
  'values of an option': (index) => `args: ["**", -C, "y${index}*"]`,
  'words anywhere': (index) => `args: ["**", "*needle${index}*", "**"]`,
  'letters anywhere': (index) => `args: ["**", "*${letter(index)}*", x, "**"]`,
  'words one behind the other': (index) => `args: ["**", a, b, "**", c${index % 5}]`,
  'last words': () => 'args: ["**", a, a, b]',
  anything: () => 'args: ["**"]',
};

export const limitTools = [
  ...['env', 'timeout', 'nice', 'nohup', 'sh', 'sed', 'git', 'tar', 'make', 'npm', 'kubectl', 'other'],
];

/** A thousand rules of these kinds in turn, for every tool; a last rule is about everything. */
export function limitPolicy(kinds: readonly string[], action: string, last = 'allow'): Policy {
  const rules = many(1000, (index) => {
    const said = limitRules[kinds[index % kinds.length] ?? '']?.(index) ?? '';
    return `{ name: r${index}, tools: [${limitTools.join(', ')}], ${said}, action: ${action} }`;
  });
  const tools = limitTools.map((tool) => `${tool}: { strategy: mirror, forbid-characters: ";\`" }`);
  const text = `version: 1\ntools: { ${tools.join(', ')} }\nrules: [${rules.join(', ')}, { name: all, tools: [${limitTools.join(', ')}], action: ${last} }]\ncomplete: true\n`;
  const result = parsePolicy(text, 'limits.yaml');
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  return result.policy;
}

/** Each time with new texts, because a request has new texts. */
export function limitFacts(name: string): CommandFacts {
  const [tool = '', ...args] = limitCommands[name]?.() ?? [];
  const fresh = args.map((arg) => Buffer.from(arg).toString());
  return { agent: 'coder', tool, args: fresh, uid: 1000, gid: 1000, cwd: '/app' };
}
