import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { leavesOf } from '../../src/policy/arguments/tools/grammar.ts';
import { compileArgs } from '../../src/policy/rules/match-args.ts';
import { sampled } from '../fixtures/sampled.ts';
import { grammarOf } from './command-lines.ts';
import { holds, oneRule } from './one-rule.ts';
import { findTool } from './scratch.ts';

const isLong = process.env['CLAWRDEN_LONG'] === '1';
const root = mkdtempSync(join(tmpdir(), 'clawrden-packing-'));
const mark = join(root, 'mark');
afterAll(() => rmSync(root, { recursive: true, force: true }));

const events = [
  ...[
    'preinstall',
    'install',
    'postinstall',
    'prepack',
    'prepare',
    'postpack',
    'prepublish',
    'prepublishOnly',
  ],
  ...['publish', 'postpublish', 'preversion', 'version', 'postversion', 'test', 'start'],
];

/** A package whose every script says that it ran. */
function makePackage(folder: string, name: string): void {
  mkdirSync(join(root, folder), { recursive: true });
  const scripts = Object.fromEntries(events.map((event) => [event, `echo ${event} >>${mark}`]));
  writeFileSync(join(root, folder, 'package.json'), JSON.stringify({ name, version: '1.0.0', scripts }));
}

makePackage('repo', 'far');
makePackage('work/sub', 'near');
mkdirSync(join(root, 'home'));
writeFileSync(join(root, 'work/package.json'), '{"name":"own","version":"1.0.0"}');
const settings =
  'registry=http://127.0.0.1:9/ audit=false fund=false update-notifier=false fetch-retries=0 yes=true logs-max=0';
writeFileSync(join(root, 'home/.npmrc'), settings.replaceAll(' ', '\n'));
const git = (...args: readonly string[]) =>
  spawnSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', '-C', join(root, 'repo'), ...args]);
git('init', '-q');
git('add', '.');
git('commit', '-qm', 'x');

const far = `git+file://${root}/repo`;
const specs = [far, `x@${far}`, './sub', 'file:sub', join(root, 'work/sub')];
/** Those that start a person's program, or wait for one. */
const waiting = new Set(['edit', 'explore', 'help', 'login', 'logout', 'completion', 'init']);
const names = leavesOf(grammarOf('npm').subcommands).map(({ name }) => name);
const lines: readonly (readonly string[])[] = [
  ...names.filter((name) => !waiting.has(name)).flatMap((name) => specs.map((spec) => [name, spec])),
  ...specs.flatMap((spec) => [
    ['cache', 'add', spec],
    ['diff', `--diff=${spec}`, '--diff=./sub'],
    ['pack', '--', spec],
    ['pack', '--dry-run', spec],
  ]),
];

/** The scripts that ran. */
function ranBy(args: readonly string[]): readonly string[] {
  for (const one of [
    'mark',
    'cache',
    ...['node_modules', 'package-lock.json', 'npm-shrinkwrap.json'].map((name) => `work/${name}`),
  ])
    rmSync(join(root, one), { recursive: true, force: true });
  const path = [process.env['PATH'] ?? '', '/usr/bin', '/bin'].join(delimiter);
  const env = {
    PATH: path,
    HOME: join(root, 'home'),
    npm_config_cache: join(root, 'cache'),
    BROWSER: 'true',
  };
  spawnSync(findTool('npm') ?? 'npm', args, {
    cwd: join(root, 'work'),
    env,
    stdio: 'ignore',
    timeout: 60_000,
    killSignal: 'SIGKILL',
  });
  return existsSync(mark) ? [...new Set(readFileSync(mark, 'utf8').trim().split('\n'))] : [];
}

const noRun = oneRule('npm', { subcommands: new Set(['run']) });
const noInstall = oneRule('npm', { subcommands: new Set(['install']) });
const noScript = (name: string) => oneRule('npm', { args: compileArgs(['run', name, '**']) });

describe.skipIf(findTool('npm') === undefined)(
  'A-151 P7: what npm makes of a folder or a git repository runs its scripts',
  () => {
    test('each script that ran is denied by a deny of it', { timeout: 1_800_000 }, () => {
      const tried = [['pack', './sub'], ...sampled(lines, isLong ? 80 : 1)];
      const open: string[] = [];
      let count = 0;
      for (const args of tried) {
        const ran = ranBy(args);
        count += ran.length;
        const policies = [
          ...(ran.length > 0 ? [noRun] : []),
          ...(ran.includes('preinstall') ? [noInstall] : []),
          ...ran.map(noScript),
        ];
        if (policies.some((policy) => !holds(policy, 'npm', args)))
          open.push(`${args.join(' ')}: ${ran.join()}`);
      }
      expect(open).toEqual([]);
      expect(count).toBeGreaterThan(1);
    });

    test.each(['pack', 'publish', 'cache add', 'diff', 'stage', 'install'])('npm %s', (name) => {
      for (const spec of ['git+ssh://h/a.git', 'a/b', './x', '@s/x@github:a/b'])
        for (const policy of [noRun, noInstall, noScript('prepare')])
          expect(holds(policy, 'npm', [...name.split(' '), spec])).toBe(true);
    });
  },
);

test.each(['pack', 'publish', 'view x', 'cache ls', 'ls'])('A-151 A-34 npm %s installs nothing', (line) => {
  expect(holds(noInstall, 'npm', line.split(' '))).toBe(false);
});
