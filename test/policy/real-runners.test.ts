import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runners } from '../../src/policy/arguments/tools/runner-data.ts';
import { parsePolicy } from '../../src/policy/file/parse-policy.ts';
import { isToolName } from '../../src/policy/request/tool-name.ts';
import { checkPolicy } from '../../src/policy/review/check-policy.ts';
import { sampled } from '../fixtures/sampled.ts';
import { findTool } from './scratch.ts';

const isLong = process.env['CLAWRDEN_LONG'] === '1';
const nobody = 65534;
/** Each runs by itself: no network, no other process, the rights of user nobody. */
const apart = [
  ...['unshare', '--net', '--pid', '--mount', '--ipc', '--fork', '--mount-proc', '--kill-child'],
  // The kernel forgets that a process is to end with its parent when the user changes: it is said again afterwards.
  ...[
    'setpriv',
    '--pdeathsig=KILL',
    `--reuid=${nobody}`,
    `--regid=${nobody}`,
    '--clear-groups',
    '--no-new-privs',
  ],
];
const canAsk =
  process.getuid?.() === 0 && spawnSync(apart[0] ?? '', [...apart.slice(1), 'true']).status === 0;

/** Below a folder that every user may enter. */
let dir: string;
let canary: string;
beforeAll(() => {
  dir = mkdtempSync('/var/tmp/clawrden-runners-');
  canary = join(dir, 'canary');
});
afterAll(() => rmSync(dir, { recursive: true }));

/** As it was before the last tool: that may have removed or overwritten what it was given. */
function layOut(): void {
  for (const name of readdirSync(dir)) rmSync(join(dir, name), { recursive: true });
  chmodSync(dir, 0o700);
  chownSync(dir, nobody, nobody);
  writeFileSync(canary, `#!/bin/sh\necho ran >>${dir}/ran\n`);
  chmodSync(canary, 0o755);
  writeFileSync(join(dir, 'f'), 'x\n');
  writeFileSync(join(dir, 'in'), `${canary}\n!${canary}\nshell ${canary}\n`);
}

/** The ways to tell a tool which other program to run. */
const forms = () => [
  ...[
    [canary],
    [canary, 'x'],
    ['x', canary],
    ['1', canary],
    ['.', canary],
    ['--', canary],
    ['x', '--', canary],
    ['f', canary],
  ],
  ...['-c', '-e', '-x', '-r', '-s', '-I', 'run', 'exec'].map((word) => [word, canary, 'f']),
  ...[
    ['-n', '1', canary],
    ['-u', 'nobody', canary],
  ],
];

/** Whether the tool runs the canary for one of the lines; all are tried in one namespace, one after the other. */
function runsIt(tool: string, lines: readonly (readonly string[])[] = forms()): boolean {
  const [ran, ended] = [join(dir, 'ran'), join(dir, 'ended')];
  layOut();
  const quoted = (args: readonly string[]) => args.map((word) => `'${word}'`).join(' ');
  const tries = lines.map((args) => `timeout -s KILL 0.7 ${quoted([findTool(tool) ?? tool, ...args])} <in`);
  spawnSync(apart[0] ?? '', [...apart.slice(1), 'sh', '-c', [...tries, 'echo >ended'].join('\n')], {
    ...{ cwd: dir, timeout: lines.length * 1000, killSignal: 'SIGKILL', stdio: 'ignore' },
    env: { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', HOME: dir, LC_ALL: 'C', TERM: 'dumb' },
  });
  const has = (mark: string) => statSync(mark, { throwIfNoEntry: false }) !== undefined;
  // If they did not come to their end together, each is tried alone.
  const isCut = !has(ended) && lines.length > 1;
  return has(ran) || (isCut && lines.some((line) => runsIt(tool, [line])));
}

/** The tools about which `policy check` warns if a rule allows them completely. */
function toldAmong(tools: readonly string[]): ReadonlySet<string> {
  const quoted = tools.map((tool) => `'${tool}'`);
  const text = `version: 1
tools: { ${quoted.map((tool) => `${tool}: { strategy: mirror }`).join(', ')} }
rules: [{ name: a, tools: [${quoted.join(', ')}], action: allow }]
complete: true
`;
  const result = parsePolicy(text, 'p.yaml');
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  const { errors, warnings } = checkPolicy(result.policy);
  return new Set([...errors, ...warnings].flatMap((line) => / allows ([^ ,]+)[, ]/.exec(line)?.[1] ?? []));
}

const isTold = (tool: string) => toldAmong([tool]).has(tool);

describe('A-77 A-35: policy check tells of a tool that runs others', () => {
  test('if it is in the data', () => {
    const told = toldAmong([...runners]);
    expect([...runners].filter((tool) => !told.has(tool))).toEqual([]);
  });

  test.each([
    'python3.12',
    'gcc-12',
    'cpan5.36-x86_64-linux-gnu',
    'perl5.36.0',
    'tclsh8.6',
    'vim.basic',
    'valgrind.bin',
  ])('%s, with a version or a variant', (tool) => {
    expect(isTold(tool)).toBe(true);
  });

  test.each(['ls', 'cat', 'wc', 'sleep', 'md5sum'])('%s is not one', (tool) => {
    expect(isTold(tool)).toBe(false);
  });

  test.skipIf(!canAsk)(
    'each program of this machine that runs what it is given is told',
    { timeout: 3_600_000 },
    () => {
      const names = ['/usr/bin', '/usr/sbin'].flatMap((folder) => readdirSync(folder));
      const plain = [...new Set(names)].filter(isToolName).sort();
      const told = toldAmong(plain);
      const known = plain.filter((name) => !told.has(name));
      const asked = sampled(known, isLong ? 50 : 2);
      expect(asked.filter((name) => runsIt(name))).toEqual([]);
    },
  );

  test.skipIf(!canAsk)('the question finds one', () => {
    expect(runsIt('nice')).toBe(true);
    expect(runsIt('ls')).toBe(false);
    // Also if another line before it ended every process that it could.
    expect(runsIt('sh', [['-c', 'kill -9 -1'], [canary]])).toBe(true);
  });
});
