import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scriptOperands } from '../arguments/script-operands.ts';
import { knownTools } from '../arguments/tools/known-tools.ts';
import { parsePolicy } from '../file/parse-policy.ts';
import { decide } from './decide.ts';
import { WantedWords } from './wanted-words.ts';
import { Words } from './words.ts';

const numRuns = process.env['CLAWRDEN_LONG'] === '1' ? 5000 : 60;

const names = ['node', 'npm', 'pnpm', 'yarn', 'tsc', 'env', 'nice', 'timeout', 'sh'];

/** A policy of these rules, each on a line. */
function policyOf(...rules: readonly string[]) {
  const tools = names.map((name) => `${name}: { strategy: mirror }`).join(', ');
  const result = parsePolicy(
    `version: 1\ntools: { ${tools} }\nrules:\n${rules.map((rule) => `  - { ${rule} }\n`).join('')}complete: true\n`,
    'p.yaml',
  );
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  return result.policy;
}

function decided(policy: ReturnType<typeof policyOf>, line: readonly string[]) {
  const [tool = '', ...args] = line;
  return decide(policy, { agent: 'coder', tool, args, uid: 1000, gid: 1000, cwd: '/app' });
}

const all = `name: all, tools: [${names.join(', ')}], action: allow`;
const wrapper = fc.constantFrom<string[]>([], ['env'], ['nice', '-n', '5'], ['timeout', '5', 'env']);
const words = fc.array(fc.constantFrom('a', 'x.json', '-', '--', 'a=b'), { maxLength: 4 });

/** Ways to write such a word; node takes some of them only. */
const spelled = (name: string) =>
  fc.constantFrom(
    ...[[name], [name, 'x.env'], [`${name}=x.env`], [`${name}=`], [name.replaceAll(/(?<=\w)-/g, '_')]],
  );
const config = fc
  .constantFrom('--experimental-config-file', '--experimental-default-config-file')
  .chain(spelled);
const envFile = fc.constantFrom('--env-file', '--env-file-if-exists').chain(spelled);

/** Lines of programs that node runs, with a word that node reads again somewhere behind the first operand. */
const lineOf = (tool: string, first: string, word: fc.Arbitrary<string[]>) =>
  fc
    .tuple(wrapper, fc.subarray(['--']), words, word, words)
    .map(([outer, end, before, given, after]) => [
      ...outer,
      tool,
      first,
      ...end,
      ...before,
      ...given,
      ...after,
    ]);

describe('A-160 P7: a word that node reads again, wherever it stands', () => {
  test.each([
    ['node', 'main.js', 'flags: [-r]'],
    ['node', 'main.js', 'flags: [--import]'],
    ['node', 'main.js', 'args: [other.js, "**"]'],
    ['npm', 'view', 'subcommands: [publish]'],
    ['pnpm', 'list', 'args: [publish, "**"]'],
    ['yarn', 'info', 'flags: [-g]'],
  ])('leaves nothing of %s %s sure: %s holds', (tool, first, rule) => {
    const policies = ['deny', 'ask'].map((action) =>
      policyOf(all, `name: strict, tools: [${tool}], ${rule}, action: ${action}`),
    );
    const word = tool === 'node' ? fc.oneof(config, envFile) : config;
    fc.assert(
      fc.property(lineOf(tool, first, word), (line) => {
        expect(policies.map((policy) => decided(policy, line).action)).toEqual(['deny', 'ask']);
      }),
      { numRuns },
    );
  });

  test.each([
    ['npm', 'search', 'subcommands: [search], safe-arguments: true'],
    ['npm', 'ls', 'subcommands: [ls]'],
    ['npm', 'view', 'args: [view, "**"]'],
    ['node', 'main.js', 'args: [main.js, "**"]'],
    ['tsc', '--noEmit', 'args: ["--noEmit", "*|**", "**"]'],
  ])('is let through by no allow of %s %s that does not say it: %s', (tool, first, rule) => {
    const policy = policyOf(
      'name: outer, tools: [env, nice, timeout], action: allow',
      `name: some, tools: [${tool}], ${rule}, action: allow`,
    );
    expect(decided(policy, [tool, first, ...(rule.includes('*|**') ? ['x'] : [])]).action).toBe('allow');
    fc.assert(
      fc.property(lineOf(tool, first, config), (line) => {
        expect(decided(policy, line).action).toBe('deny');
      }),
      { numRuns },
    );
  });

  test('is let through by a rule that says it, and by one that is about the whole tool', () => {
    const line = ['node', '--env-file=.env', 'main.js'];
    for (const rule of ['flags: [--env-file]', 'args: ["--env-file=.env|x", "*"]'])
      expect(decided(policyOf(`name: some, tools: [node], ${rule}, action: allow`), line).action).toBe(
        'allow',
      );
    expect(decided(policyOf('name: some, tools: [node], args: ["**"], action: allow'), line).action).toBe(
      'deny',
    );
    expect(decided(policyOf(all), [...line, '--experimental-config-file=x']).action).toBe('allow');
  });

  test('P9: is never inspected', () => {
    fc.assert(
      fc.property(lineOf('node', './main.js', config), (line) => {
        expect(scriptOperands(line)).toEqual([
          { notInspected: expect.stringContaining('change what it runs') },
        ]);
      }),
      { numRuns },
    );
  });

  test('A-34 other words behind the program are not read again', () => {
    const policy = policyOf(all, 'name: strict, tools: [node, npm], flags: [-r], action: deny');
    for (const line of ['node main --inspect', 'node main -r x', 'node main env-file'])
      expect([line, decided(policy, line.split(' ')).action]).toEqual([line, 'allow']);
  });
});

test('A-400 P20 a word that node reads again is held against a rule once, however often it stands there', () => {
  const copies = Array.from({ length: 1000 }, () => '--env-file=x');
  const line = new Words(['tool', ...copies, '--env-file=y', ...copies], new WantedWords([]), '');
  expect(line.beginningWith(['--env-file'], 1)).toEqual(['--env-file=x', '--env-file=y']);
});

describe('A-161 P7: code in the value of an option', () => {
  const code = fc
    .tuple(
      fc.constantFrom('', 'x', 'data:text/javascript,', 'POSIX'),
      fc.constantFrom(' qw(a);1', '+exec+ls', ';exec', '%3b'),
    )
    .map((parts) => parts.join(''));
  const grammarOf = (tool: string) => knownTools.get(tool)!;
  test.each([
    ['node', '-e', ['-p', '--print', '--eval']],
    ['node', '-p', ['-e', '--eval']],
    ['perl', '-e', ['-E']],
    ['perl', '-E', ['-e']],
  ])('%s: a rule about %s is about %j', (tool, flag, others) => {
    const option = (name: string) => grammarOf(tool).options.get(name);
    for (const other of others) {
      const { names: own = [], alike = [] } = option(other) ?? {};
      expect([...own, ...alike]).toContain(flag);
    }
  });

  test('is not understood', () => {
    const policy = policyOf(all, 'name: strict, tools: [node], flags: [-e], action: deny');
    const lines = fc.tuple(fc.constantFrom('--import=', '--loader=', '--require='), code);
    fc.assert(
      fc.property(lines, ([option, text]) => {
        fc.pre(/[^\w./@+=,~-]/.test(text));
        expect(decided(policy, ['node', `${option}${text}`, 'main']).action).toBe('deny');
      }),
      { numRuns },
    );
    expect(decided(policy, ['node', '--import=./x.mjs', 'main']).action).toBe('allow');
  });
});
