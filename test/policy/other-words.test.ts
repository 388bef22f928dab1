import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { scriptOperands } from '../../src/policy/arguments/script-operands.ts';
import { compileArgs } from '../../src/policy/rules/match-args.ts';
import { allIfLong, sampled } from '../fixtures/sampled.ts';
import { holds, oneRule } from './one-rule.ts';
import { findTool } from './scratch.ts';

const isLong = process.env['CLAWRDEN_LONG'] === '1';
const dir = mkdtempSync(join(tmpdir(), 'clawrden-words-'));
const ran = join(dir, 'RAN');
afterAll(() => rmSync(dir, { recursive: true }));

/** Whether the tool wrote the mark; one that waits for a person is ended. */
function runs(tool: string, args: readonly string[]): boolean {
  rmSync(ran, { force: true });
  spawnSync(tool, args, {
    cwd: dir,
    stdio: 'ignore',
    timeout: isLong ? 20_000 : 4000,
    killSignal: 'SIGKILL',
  });
  return existsSync(ran);
}

const denied = (tool: string, ...items: readonly string[]) => oneRule(tool, { args: compileArgs(items) });

describe('A-149 P7 P9: a first word of node that is another line', () => {
  const code = `require('fs').writeFileSync('RAN','')`;
  const before = [
    [],
    ['inspect'],
    ['debug'],
    ['--no-warnings', 'inspect'],
    ['--', 'inspect'],
    ['inspect', '--'],
  ];
  const forms = [['-e', code], [`--eval=${code}`], ['--eval', code], ['-pe', code], ['-i', '-e', code]];
  const lines = before.flatMap((words) => forms.map((form) => [...words, ...form]));
  const noCode = ['-e', '--eval'].map((flag) => oneRule('node', { flags: [flag] }));

  test('what runs code is denied by a deny of -e', { timeout: 600_000 }, () => {
    const direct = lines.filter(([first]) => first?.startsWith('-') === true && first !== '--');
    const tried = isLong ? sampled(lines, 8) : sampled(direct, 3);
    const run = tried.filter((args) => runs(process.execPath, args));
    expect(run.length).toBeGreaterThan(tried.length / 9);
    expect(run.filter((args) => noCode.some((policy) => !holds(policy, 'node', args)))).toEqual([]);
  });

  test.each(lines.map((line) => [line.slice(0, -1).join(' '), line] as const))('node %s', (_, line) => {
    expect(noCode.map((policy) => holds(policy, 'node', line))).toEqual([true, true]);
    expect(scriptOperands(['node', ...line])[0]).toHaveProperty('notInspected');
  });

  test.each([['x.js'], ['x.js', 'inspect'], ['--no-warnings', 'x.js', '-e'], ['./inspect']])(
    'A-34 node %s %s is not held back',
    (...line) => {
      expect(noCode.map((policy) => holds(policy, 'node', line))).toEqual([false, false]);
    },
  );
});

describe('A-152 P7: what is in a saved plan of terraform is not on the line', () => {
  const rules = [
    oneRule('terraform', { flags: ['-auto-approve'] }),
    denied('terraform', 'apply', '-auto-approve', '**'),
  ];

  test.each([
    'apply plan.out',
    'apply -input=false x',
    'apply -no-color ./p',
    'refresh',
    'refresh -no-color',
    'test',
  ])('terraform %s is applied without a question', (line) => {
    expect(rules.map((policy) => holds(policy, 'terraform', line.split(' ')))).toEqual([true, true]);
  });

  test.each(['destroy', 'apply plan.out', 'apply -destroy'])('terraform %s may destroy', (line) => {
    expect(holds(denied('terraform', 'apply', '-destroy', '**'), 'terraform', line.split(' '))).toBe(true);
  });

  test.each(['apply', 'apply -input=false', 'plan -out=p', 'show p'])('A-34 terraform %s asks', (line) => {
    expect(rules.map((policy) => holds(policy, 'terraform', line.split(' ')))).toEqual([false, false]);
  });
});

describe('A-153, A-614 P7: a module of python by another name', () => {
  mkdirSync(join(dir, 'kept/inner'), { recursive: true });
  for (const file of ['kept/__init__.py', 'kept/inner/__init__.py']) writeFileSync(join(dir, file), '');
  for (const file of ['kept/__main__.py', 'kept/other.py', 'kept/inner/__main__.py', 'kept/inner/x.py'])
    writeFileSync(join(dir, file), `open('RAN','w')\n`);
  const names = ['kept', 'kept.__main__', 'kept.other', 'kept.inner', 'kept.inner.x', 'kept.inner.__main__'];
  const through = [
    [],
    ['runpy'],
    ['pdb', '-c', 'c', '-m'],
    ['trace', '-t', '--module'],
    ['profile', '-m'],
    ['cProfile', '-m'],
  ];
  const lines = names.flatMap((name) => [
    ...through.map((words) => (words.length === 0 ? ['-m', name] : ['-m', ...words, name])),
    [`-m${name}`],
    [`-qm${name}`],
    ['-qm', name],
  ]);
  const noModule = [denied('python3', '-m', 'kept', '**'), denied('python3', '**', '-m', 'kept', '**')];
  const isThere = findTool('python3') !== undefined;

  test.skipIf(!isThere)(
    'what runs a part of a package is denied by a deny of it',
    { timeout: 300_000 },
    () => {
      const tried = allIfLong(lines, 5);
      const run = tried.filter((args) => runs('python3', args));
      expect(run.length).toBeGreaterThan(tried.length / 2);
      expect(run.filter((args) => noModule.some((policy) => !holds(policy, 'python3', args)))).toEqual([]);
    },
  );

  test.each([
    '-m pip.__main__ install x',
    '-m pip._internal.cli.main x',
    '-Im pip._internal',
    '-m runpy other',
    // Folders above a module are packages, if a folder above those is in the path.
    '-m site-packages.pip install x',
    '-Im lib.python3.site-packages.pip._internal',
    '-m site-packages.runpy other',
    '-m lib.python3.pdb x.py',
    '-m a.b.c.d.e.f.g.h.i.j.k.l.m x',
    '-m a b',
    '-m x/y',
  ])('python3 %s', (line) => {
    const isPip = !line.includes(' a ');
    expect(holds(denied('python3', '-m', 'pip', '**'), 'python3', line.split(' '))).toBe(isPip);
  });

  test.each(['-m app.code.profile', '-m json.tool x', '-I -m pytest', '-m pipx', '-m http.server'])(
    'A-34 python3 %s',
    (line) => {
      expect(holds(denied('python3', '-m', 'pip', '**'), 'python3', line.split(' '))).toBe(false);
    },
  );
});

describe('A-155 P7: another command on the line of a package manager', () => {
  const commands = [
    'npm publish',
    'pnpm publish',
    'yarn publish',
    'sh -c x',
    'env npm publish',
    'npx npm publish',
  ];
  const before: Readonly<Record<string, readonly string[]>> = {
    npm: ['exec', 'exec --', 'x', 'explore . --', '-s exec --', 'exec --package=x --'],
    pnpm: ['exec', 'dlx'],
    yarn: ['exec', 'run', 'exec --'],
  };

  test.each(Object.entries(before))('%s', (tool, starts) => {
    for (const about of [
      oneRule(tool, { subcommands: new Set(['publish']) }),
      denied(tool, 'run', 'deploy', '**'),
    ])
      for (const line of starts.flatMap((start) => commands.map((command) => `${start} ${command}`)))
        expect([line, holds(about, tool, line.split(' '))]).toEqual([line, true]);
  });

  test('and a text for a shell, or a pattern of scripts', () => {
    const noPublish = oneRule('npm', { subcommands: new Set(['publish']) });
    for (const words of [['-c', 'npm publish'], ['--call=npm publish'], ['--call', 'x']])
      expect(holds(noPublish, 'npm', ['exec', ...words])).toBe(true);
    expect(holds(denied('pnpm', 'run', 'deploy', '**'), 'pnpm', ['run', '/dep/'])).toBe(true);
  });

  test.each(['exec eslint src', 'exec -- tsc -b', 'run build'])('A-34 npm %s is not held back', (line) => {
    expect(holds(oneRule('npm', { subcommands: new Set(['publish']) }), 'npm', line.split(' '))).toBe(false);
  });
});
