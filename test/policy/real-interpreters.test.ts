import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { scriptOperands } from '../../src/policy/script-operands.ts';
import { interpreterData } from '../../src/policy/tools/interpreter-data.ts';
import { shellOptions } from '../../src/policy/tools/wrapper-data.ts';

const isLong = process.env['CLAWRDEN_LONG'] === '1';
const dir = mkdtempSync(join(tmpdir(), 'clawrden-interpreters-'));
const ran = join(dir, 'ran');
afterAll(() => rmSync(dir, { recursive: true }));

/** All of them, or every eleventh in a short run. */
const sample = <T>(all: readonly T[]): T[] => all.filter((_, index) => isLong || index % 11 === 0);

/** A program that leaves its name. */
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
    return { line, language, options: interpreterData.get(language)?.options ?? new Map() };
  }),
];

/** What stands on PATH for Python may be a shell script that looks for it, each time. */
const python = spawnSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' });
const files: Readonly<Record<string, string>> = {
  node: process.execPath,
  ...(python.error === undefined ? { python3: python.stdout.trim() } : {}),
};

/** The names of what ran, in their order. */
function run(argv: readonly string[], language: string): string[] {
  rmSync(ran, { force: true });
  for (const name of ['main', 'V']) writeFileSync(join(dir, name), noting[language]?.(name) ?? '');
  const [tool = '', ...args] = argv;
  spawnSync(files[tool] ?? tool, args, {
    cwd: dir,
    input: noting[language]?.('stdin') ?? '',
    timeout: 5000,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], RAN: ran },
  });
  try {
    return readFileSync(ran, 'utf8').trim().split('\n');
  } catch {
    return [];
  }
}

/** Each way to write an option that may take `V` for its value, or not. */
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

/** What ran and was not said to. */
function hidden(argv: readonly string[], language: string): string[] {
  const said = scriptOperands(argv).flatMap((operand) =>
    'path' in operand ? [operand.path.replace('./', '')] : [],
  );
  const more = run(argv, language).filter((name) => !said.includes(name));
  return more.length === 0 ? [] : [`${argv.join(' ')} ran ${more.join(' ')}, and not ${said.join(' ')}`];
}
