import { expect, test } from 'vitest';
import { readYaml } from './read-yaml.ts';

function problemsOf(text: string): readonly string[] {
  const result = readYaml(text, 'f.yaml');
  return 'problems' in result ? result.problems : [];
}

const bomb = `${Array.from({ length: 9 }, (_, level) =>
  level === 0
    ? 'a0: &a0 [x]'
    : `a${level}: &a${level} [${Array(9)
        .fill(`*a${level - 1}`)
        .join(', ')}]`,
).join('\n')}\n`;

test.each([
  ['a duplicate key', 'a: 1\nb: 2\na: 3\n', 'f.yaml:3: the key "a" is there twice'],
  ['a duplicate key in flow style', 'x: { a: 1, a: 2 }\n', 'f.yaml:1: the key "a" is there twice'],
  ['two documents', 'a: 1\n---\nb: 2\n', 'f.yaml:2: Source contains multiple documents'],
  ['an unknown tag', 'a: 1\nb: !boom 2\n', 'f.yaml:2: Unresolved tag: !boom'],
  ['an alias', 'a: &x 1\nb: *x\n', 'f.yaml:2: aliases (*x) are not allowed'],
  ['a key that is no text', 'a: 1\n2: b\n', 'f.yaml:2: a key must be a text'],
  [
    'a key that would reach the prototype',
    'a: { __proto__: 1 }\n',
    'f.yaml:1: the key "__proto__" is not allowed',
  ],
  ['a broken flow', 'a: 1\nb: [1, 2\n', 'f.yaml:3: '],
  ['an empty file', '', 'f.yaml:1: the file is empty'],
  ['only comments', '# one\n\n# two\n', 'f.yaml:1: the file is empty'],
  ['more than 1 MiB', `a: "${'x'.repeat(1 << 20)}"`, 'f.yaml:1: it is larger than 1048576 bytes'],
])('A-36 A-37 %s is refused with its line', (_name, text, problem) => {
  expect(problemsOf(text)[0]).toContain(problem);
});

test.each([
  ['50 000 deep in flow style', `a: ${'['.repeat(50_000)}`],
  ['50 000 deep and closed', `a: ${'['.repeat(50_000)}${']'.repeat(50_000)}`],
  ['50 000 deep mappings', `a: ${'{a: '.repeat(50_000)}`],
  ['50 000 deep in block style', `${'- '.repeat(50_000)}x`],
  ['50 000 deep explicit keys', `${'? '.repeat(50_000)}x`],
  ['50 000 explicit keys in flow style', `[${'? '.repeat(50_000)}x]`],
  ['50 000 colons in flow style', `[${'a: '.repeat(50_000)}x]`],
  ['deep by indentation', Array.from({ length: 1400 }, (_, i) => `${' '.repeat(i)}a:`).join('\n')],
  ['just too deep', `a: ${'['.repeat(33)}${']'.repeat(33)}`],
  ['60 000 keys, all different', Array.from({ length: 60_000 }, (_, i) => `k${i}: 1`).join('\n')],
  ['a nine-level alias bomb', bomb],
  ['a million dashes', '- x\n'.repeat(260_000)],
])('A-37 %s is refused in well under a second', (_name, text) => {
  const start = process.cpuUsage();
  expect(problemsOf(text).length).toBeGreaterThan(0);
  expect(process.cpuUsage(start).user).toBeLessThan(1_000_000);
});

test('brackets inside texts are not nesting', () => {
  const text = `a: "${'['.repeat(100)}"\nb: |\n  [\n  {\nc: ${'x'.repeat(10)}\n`;
  expect(problemsOf(text)).toEqual([]);
});

test('a big flat file in flow style is read', () => {
  const rule = (i: number): string => `{ name: r${i}, tools: [a, b], args: ["x|y", "**"] }`;
  expect(problemsOf(`rules: [${Array.from({ length: 1000 }, (_, i) => rule(i)).join(', ')}]\n`)).toEqual([]);
  const rules = Array.from({ length: 1000 }, (_, i) => `  - ${rule(i)}`);
  const start = process.cpuUsage();
  expect(problemsOf(`rules:\n${rules.join('\n')}\n`)).toEqual([]);
  expect(process.cpuUsage(start).user).toBeLessThan(1_000_000);
});

test('places are named by line and path', () => {
  const result = readYaml('a:\n  - b: 1\n    c: 2\n  - 5\n', 'f.yaml');
  if ('problems' in result) throw new Error('refused');
  expect(result.source.problem(['a', 0, 'c'], 'no')).toBe('f.yaml:3: a[0].c: no');
  expect(result.source.problem(['a', 1], 'no')).toBe('f.yaml:4: a[1]: no');
  expect(result.source.problem(['a', 0, 'missing'], 'no')).toBe('f.yaml:2: a[0].missing: no');
  expect(result.source.problem([], 'no')).toBe('f.yaml:1: no');
});

test('values are those of YAML 1.2', () => {
  const result = readYaml('a: no\nb: 1000:1000\nc: 0x10\nd: true\n', 'f.yaml');
  if ('problems' in result) throw new Error('refused');
  expect(result.source.value).toEqual({ a: 'no', b: '1000:1000', c: 16, d: true });
});
