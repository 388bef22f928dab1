import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { scriptOperands } from '../../src/policy/arguments/script-operands.ts';
import { knownTools } from '../../src/policy/arguments/tools/known-tools.ts';
import { shellOptions } from '../../src/policy/arguments/tools/wrapper-data.ts';

const isLong = process.env['CLAWRDEN_LONG'] === '1';
const dir = mkdtempSync(join(tmpdir(), 'clawrden-interpreters-'));
const ran = join(dir, 'ran');
beforeAll(setLures);
afterAll(() => rmSync(dir, { recursive: true }));

/** All of them, or every eleventh in a short run. */
const sample = <T>(all: readonly T[]): T[] => all.filter((_, index) => isLong || index % 11 === 0);

/** A program that leaves its name as a mark. */
const noting: Readonly<Record<string, (name: string) => string>> = {
  shell: (name) => `echo ${name} >>"$RAN"\n`,
  node: (name) => `require('node:fs').appendFileSync(process.env.RAN, '${name}\\n');\n`,
  python: (name) => `import os\nopen(os.environ['RAN'], 'a').write('${name}\\n')\n`,
  perl: (name) => `open(F, '>>', $ENV{RAN}); print F "${name}\\n"; close F; 1;\n`,
  ruby: (name) => `File.write(ENV['RAN'], "${name}\\n", mode: 'a')\n`,
};

const tools = [
  ...['sh', 'bash', 'dash', 'busybox sh'].map((line) => ({ line, language: 'shell', options: shellOptions })),
  ...['node', 'python3', 'perl', 'ruby'].map((line) => {
    const language = line.replace('3', '');
    return { line, language, options: knownTools.get(language)?.options ?? new Map() };
  }),
];

/** Python on PATH may be a shell script that searches for Python each time. */
const python = spawnSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' });
const files: Readonly<Record<string, string>> = {
  node: process.execPath,
  ...(python.error === undefined ? { python3: python.stdout.trim() } : {}),
};

/** The names of the programs that ran, in order. */
function run(argv: readonly string[], language: string): string[] {
  rmSync(ran, { force: true });
  for (const name of ['main', 'V'])
    writeFileSync(join(dir, name), `${uses[language] ?? ''}${noting[language]?.(name) ?? ''}`);
  const [tool = '', ...args] = argv;
  spawnSync(files[tool] ?? tool, args, {
    cwd: dir,
    input: noting[language]?.('stdin') ?? '',
    timeout: 5000,
    env: { PATH: process.env['PATH'], HOME: dir, RAN: ran },
  });
  try {
    return readFileSync(ran, 'utf8').trim().split('\n');
  } catch {
    return [];
  }
}

/** What each of them would load by itself, by name or for the script, if an option made it look here. */
const lures: Readonly<Record<string, readonly string[]>> = {
  shell: ['.bashrc', '.profile', '.bash_profile', '.shrc', 'V.sh'],
  node: ['V.js', 'main.js', 'index.js', 'node_modules/V/index.js', 'node_modules/two/other.js'],
  python: [
    'V.py',
    'os.py',
    'site.py',
    'sitecustomize.py',
    'usercustomize.py',
    'warnings.py',
    'tracemalloc.py',
    '__main__.py',
  ],
  perl: ['V.pm', 'strict.pm', 'Config.pm', 'lib/strict.pm', 'sitecustomize.pl'],
  ruby: ['V.rb', 'set.rb', 'rubygems.rb', 'lib/set.rb'],
};

/** What a script uses, so that the test sees where its interpreter finds it. */
const uses: Readonly<Record<string, string>> = {
  node: "require('two');\n",
  perl: 'use strict;\n',
  ruby: "require 'set'\n",
};

function setLures(): void {
  for (const [language, names] of Object.entries(lures))
    for (const name of names) write(name, noting[language]?.(name) ?? '');
  write('node_modules/two/package.json', '{ "exports": { "V": "./other.js", "default": "./one.js" } }');
  write('node_modules/two/one.js', '');
  write('.env', 'NODE_OPTIONS=--require ./V.js\n');
  write('node.config.json', '{ "nodeOptions": { "require": ["./V.js"] } }');
}

function write(name: string, text: string): void {
  mkdirSync(dirname(join(dir, name)), { recursive: true });
  writeFileSync(join(dir, name), text);
}

/** Each way to write an option that may take `V` as its value. */
const formsOf = (name: string) => [
  [name],
  [name, 'V'],
  [name, './V'],
  [`${name}V`],
  [`${name}./V`],
  [`${name}=./V`],
  ['--', name],
];

describe.each(tools)('what $line runs', ({ line, language, options }) => {
  const tool = line.split(' ');
  const isThere = spawnSync(tool[0] ?? '', ['--version']).error === undefined;

  test.skipIf(!isThere)('A-44: is what its arguments say, whatever the option', { timeout: 300_000 }, () => {
    expect(run([...tool, 'main', 'V'], language)).toEqual(['main']);
    expect(scriptOperands([...tool, 'main', 'V'])).toEqual([{ path: 'main' }]);
    const letters = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0'].map(
      (letter) => `-${letter}`,
    );
    const forms = [...new Set([...options.keys(), ...letters])].flatMap(formsOf);
    const lines = forms.flatMap((form) => [
      [...tool, ...form, 'main', 'V'],
      [...tool, ...form],
    ]);
    const seen = lines.filter((argv) => scriptOperands(argv).every((operand) => 'path' in operand));
    expect(sample(seen).flatMap((argv) => hidden(argv, language))).toEqual([]);
  });
});

const helps: Readonly<Record<string, readonly (readonly string[])[]>> = {
  shell: [['--help'], ['-c', 'set -o; shopt'], ['-c', 'help set']],
  node: [['--help']],
  python: [['--help-all'], ['--help'], ['--help-xoptions']],
  perl: [['-h']],
  ruby: [['--help']],
};

/** Options, and words that may be values, as the interpreter itself lists them. */
function ownWords(tool: readonly string[], language: string): { options: string[]; values: string[] } {
  const [file = '', ...rest] = tool;
  const text = (helps[language] ?? [])
    .map((args) => spawnSync(files[file] ?? file, [...rest, ...args], { encoding: 'utf8', input: '' }))
    .map(({ stdout, stderr }) => `${stdout}\n${stderr}`)
    .join('\n');
  const words = text.split(/[\s,;|[\](){}"'`]+/);
  const options = words.filter((word) => /^--?\w[\w-]*=?$/.test(word)).map((word) => word.replace('=', ''));
  const values = words
    .filter((word) => /^[\w:.]{2,24}=?$/.test(word))
    .map((word) => word.replace(/=$/, '=./V'));
  return { options: [...new Set(options)], values: [...new Set(values)] };
}

describe.each(tools)('A-75 P9: what $line loads', ({ line, language, options }) => {
  const tool = line.split(' ');
  const isThere = spawnSync(tool[0] ?? '', ['--version']).error === undefined;

  test.skipIf(!isThere)(
    'is what is said, or it is said that something is not inspected',
    { timeout: 900_000 },
    () => {
      const own = ownWords(tool, language);
      const names = [...new Set([...options.keys(), ...own.options])];
      const common = ['V', './V', '1', 'lib', 'error::V.C', 'module', './.env', 'pycache_prefix=./V'];
      const valuesOf = (name: string) =>
        (options.get(name)?.value ?? 'none') === 'none' ? common : [...common, ...own.values];
      const lines = names.flatMap((name) => [
        [...tool, name, 'main', 'V'],
        ...valuesOf(name).flatMap((value) => [
          [...tool, name, value, 'main', 'V'],
          [...tool, `${name}${value}`, 'main'],
          [...tool, `${name}=${value}`, 'main'],
        ]),
      ]);
      const seen = lines.filter((argv) => scriptOperands(argv).every((operand) => 'path' in operand));
      // Without an option there must still be something to see.
      expect(seen.length).toBeGreaterThan(5);
      const some = isLong ? seen : seen.filter((_, index) => index % Math.ceil(seen.length / 16) === 0);
      expect(some.flatMap((argv) => hidden(argv, language))).toEqual([]);
    },
  );

  test.skipIf(!isThere)('a plain line stays inspected', () => {
    for (const argv of [
      [...tool, 'main'],
      [...tool, './main', 'V'],
      [...tool, ...(language === 'shell' ? ['-e'] : []), 'main'],
    ])
      expect(scriptOperands(argv)).toEqual([{ path: argv.find((word) => word.endsWith('main')) }]);
  });
});

/** The same option with what it might read, behind the program and behind a `--` there. */
const formsBehind = (name: string) => {
  const spellings = [name, name.replaceAll(/(?<=\w)-/g, '_')];
  const values = ['./V', './.env', 'node.config.json'];
  const words = spellings.flatMap((one) => [
    [one],
    ...values.flatMap((file) => [[one, file], [`${one}=${file}`], [`${one}${file}`]]),
  ]);
  return words.flatMap((form) => [form, ['--', ...form]]);
};

/** One run for all the forms; only if something else than the program ran, one for each half, down to one form. */
function hiddenInAny(
  tool: readonly string[],
  forms: readonly (readonly string[])[],
  language: string,
): string[] {
  if (run([...tool, 'main', ...forms.flat()], language).join() === 'main') return [];
  if (forms.length === 1) return hidden([...tool, 'main', ...(forms[0] ?? [])], language);
  const half = forms.length >>> 1;
  const first = hiddenInAny(tool, forms.slice(0, half), language);
  return first.length > 0 ? first : hiddenInAny(tool, forms.slice(half), language);
}

describe.each(tools)(
  'A-75 P9: what $line loads for words behind its program',
  ({ line, language, options }) => {
    const tool = line.split(' ');
    const isThere = spawnSync(tool[0] ?? '', ['--version']).error === undefined;

    test.skipIf(!isThere)('is nothing, or it is said', { timeout: 300_000 }, () => {
      const listed = language === 'node' ? [...process.allowedNodeEnvironmentFlags] : [];
      const names = [...new Set([...options.keys(), ...ownWords(tool, language).options, ...listed])];
      const isInspected = (form: readonly string[]) =>
        scriptOperands([...tool, 'main', ...form]).every((operand) => 'path' in operand);
      const seen = names.flatMap(formsBehind).filter(isInspected);
      expect(seen.length).toBeGreaterThan(names.length);
      for (const [separate, forms] of Object.entries(
        Object.groupBy(seen, ([first]) => String(first === '--')),
      ))
        expect({ separate, open: hiddenInAny(tool, forms ?? [], language) }).toEqual({ separate, open: [] });
    });
  },
);

test('A-75: what node does with such a word can be seen here', () => {
  for (const word of ['--env-file=.env', '--env-file-if-exists=.env', '--experimental-default-config-file']) {
    expect(run(['node', 'main', word], 'node')).toEqual(['V.js', 'main']);
    expect(scriptOperands(['nice', 'node', 'main', 'x', word])).toEqual([
      { notInspected: expect.stringContaining('change what it runs') },
    ]);
  }
});

test('A-160: a program that node runs loads what such a word names, behind -- too', () => {
  write('script', `#!${process.execPath}\n${noting['node']?.('script') ?? ''}`);
  chmodSync(join(dir, 'script'), 0o755);
  for (const words of [
    ['--experimental-default-config-file'],
    ['--experimental-config-file', 'node.config.json'],
  ])
    expect(run(['./script', 'view', '--', ...words], 'node')).toEqual(['V.js', 'script']);
  expect(run(['./script', 'view', '--', '--env-file=.env'], 'node')).toEqual(['script']);
});

/** Programs that ran although our data does not say so. */
function hidden(argv: readonly string[], language: string): string[] {
  const said = scriptOperands(argv).flatMap((operand) =>
    'path' in operand ? [operand.path.replace('./', '')] : [],
  );
  const more = run(argv, language).filter((name) => !said.includes(name));
  return more.length === 0 ? [] : [`${argv.join(' ')} ran ${more.join(' ')}, and not ${said.join(' ')}`];
}
