import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { expect, onTestFinished, test } from 'vitest';
import { addRunOptions, type RunOptions } from './add-run-options.ts';
import { checkTarget } from './read-places.ts';
import { readBytes, readCpus, readRestart } from './read-quantities.ts';
import { readRunOptions } from './read-run-options.ts';

/** What becomes of a line behind the agent's name. */
function wish(...line: string[]) {
  const command = addRunOptions(new Command().passThroughOptions());
  const { operands } = command.parseOptions(line);
  return readRunOptions(command.opts<RunOptions>(), operands, { KNOWN: 'here', PATH: '/bin' });
}

const nothing = {
  ...{ image: 'debian:12', command: [], env: [], labels: {}, volumes: [], tmpfs: [] },
  ...{ interactive: false, tty: false, detach: false, rm: false, readOnly: false },
};

test('every option arrives, and what stands behind the image is the command', () => {
  expect(wish('debian:12')).toEqual(nothing);
  const line = [
    ...[
      '-it',
      '--name=one',
      '--hostname',
      'h',
      '-e',
      'A=1=2',
      '-eB=',
      '-e',
      'KNOWN',
      '-e',
      'UNKNOWN',
      '-w',
      '/x',
    ],
    ...[
      '--restart=on-failure:3',
      '--memory',
      '64m',
      '--cpus',
      '.5',
      '--pids-limit',
      '-1',
      '--shm-size',
      '8MiB',
    ],
    ...['--tmpfs', '/t', '--tmpfs', '/u:size=1m,exec', '--volume', 'v_1:/v', '--volume', '/srv/a:/a:ro'],
    ...['--read-only', '--stop-timeout', '3', '--label', 'a=b=c', '--label', 'd', '--entrypoint', ''],
    ...['debian:12', 'sh', '-c', '--rm', '-d'],
  ];
  expect(wish(...line)).toEqual({
    ...nothing,
    ...{ interactive: true, tty: true, readOnly: true, command: ['sh', '-c', '--rm', '-d'] },
    ...{ name: 'one', hostname: 'h', env: ['A=1=2', 'B=', 'KNOWN=here', 'UNKNOWN'], workdir: '/x' },
    ...{ restart: { Name: 'on-failure', MaximumRetryCount: 3 }, memory: 64 * 1024 ** 2, nanoCpus: 5e8 },
    ...{ pids: -1, shm: 8 * 1024 ** 2, stopTimeout: 3, labels: { a: 'b=c', d: '' }, entrypoint: '' },
    tmpfs: [
      ['/t', ''],
      ['/u', 'size=1m,exec'],
    ],
    volumes: [
      { source: 'v_1', target: '/v', readOnly: false },
      { source: '/srv/a', target: '/a', readOnly: true },
    ],
  });
});

test('variables of a file come first, as docker reads it', () => {
  const dir = mkdtempSync(join(tmpdir(), 'clawrden-env-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  const file = join(dir, 'env');
  writeFileSync(file, '\u{FEFF}A="1 2"\r\n# no\n\n  B=x # y\nKNOWN\nUNKNOWN\n');
  expect(wish('-e', 'A=2', '--env-file', file, 'i').env).toEqual(['A="1 2"', 'B=x # y', 'KNOWN=here', 'A=2']);
  writeFileSync(file, 'A=1\nPATH=/x\n');
  expect(() => wish('--env-file', file, 'i')).toThrow(/--env-file .*env: PATH is Clawrden's own/);
  writeFileSync(file, 'A B=1\n');
  expect(() => wish('--env-file', file, 'i')).toThrow(/takes NAME=VALUE/);
  expect(() => wish('--env-file', dir, 'i')).toThrow(/not a regular file/);
});

const inEitherCase = (name: string) => [name, name.toUpperCase(), name[0]?.toUpperCase() + name.slice(1)];

test.each([
  ...['PATH=/x', 'PATH', ...inEitherCase('clawrden_reason').map((name) => `${name}=1`)],
  ...['http_proxy', 'https_proxy', 'ftp_proxy', 'all_proxy', 'no_proxy'].flatMap(inEitherCase),
])('the variable %s is ours', (text) => {
  expect(() => wish('-e', text, 'i')).toThrow(/--env: \S+ is Clawrden's own; leave it out/);
});

test.each(['clawrden.agent=other', 'clawrden.gateway', 'Clawrden.x=1', 'clawrdenx'])(
  'the label %s is ours',
  (text) => {
    expect(() => wish('--label', text, 'i')).toThrow(/is Clawrden's own/);
  },
);

test.each([
  [['--volume', 'xx'], /--volume xx: it has no absolute path/],
  [['--volume', '/x'], /--volume \/x: it has no absolute path/],
  [['--volume', '.:/x'], /no name of a volume and no path of a folder/],
  [['--volume', '../x:/x'], /no name of a volume/],
  [['--volume', '/srv/../etc:/x'], /no name of a volume/],
  [['--volume', 'vv:/x/../clawrden'], /no absolute path/],
  [['--volume', 'vv://clawrden'], /no absolute path/],
  [['--volume', 'vv:/'], /no absolute path/],
  [['--volume', 'vv:x'], /no absolute path/],
  ...['rw', 'z', 'ro,z', 'shared', ''].map((mode): [string[], RegExp] => [
    ['--volume', `vv:/x:${mode}`],
    /SOURCE:PATH:ro/,
  ]),
  [['--volume', 'vv:/x:ro:ro'], /SOURCE:PATH:ro/],
  [['--tmpfs', 'x'], /--tmpfs x: it has no absolute path/],
  [['--env', '=x'], /--env takes NAME=VALUE/],
  [['--label', '=x'], /--label takes KEY/],
  [['--name', '../x'], /--name takes letters/],
  [['--memory', 'much'], /--memory takes bytes/],
  [['--memory', '-1'], /--memory takes bytes/],
  [['--cpus', '1/2'], /--cpus takes a number/],
  [['--pids-limit', '1.5'], /--pids-limit takes a whole number/],
  [['--stop-timeout', '1s'], /--stop-timeout takes whole seconds/],
  [['--restart', 'maybe'], /--restart takes no, always/],
  [['--restart', 'always', '--rm'], /--restart and --rm cannot be together/],
] as const)('%j is refused by name', (line, why) => {
  expect(() => wish(...line, 'i')).toThrow(why);
});

test.each(['', '-x', 'a/../b', 'a b', '../containers/x', 'a?b', 'a#b', 'a%2fb'])(
  '%j is no image',
  (image) => {
    expect(() => readRunOptions(addRunOptions(new Command()).opts(), [image], {})).toThrow(
      /no name of an image/,
    );
  },
);

test('quantities are those of docker', () => {
  for (const [at, unit] of ['', 'k', 'm', 'g', 't'].entries())
    for (const text of [`3${unit}`, `3${unit.toUpperCase()}b`, `3 ${unit}iB`])
      expect([text, readBytes(text)]).toEqual([text, 3 * 1024 ** at]);
  expect(readBytes('1.5k')).toBe(1536);
  expect(['', 'k', '1x', '1e3', '-1', '1.2.3', '0x10', '9999999999999p'].map(readBytes)).toEqual(
    Array(8).fill(undefined),
  );
  expect(['2', '0.000000001', '1.', '.25'].map(readCpus)).toEqual([2e9, 1, 1e9, 25e7]);
  expect(['', '.', '0.0000000001', '-1', '1e2'].map(readCpus)).toEqual(Array(5).fill(undefined));
  const policies = ['no', 'always', 'unless-stopped', 'on-failure'];
  expect(policies.map(readRestart)).toEqual(policies.map((Name) => ({ Name, MaximumRetryCount: 0 })));
  expect(['', 'on-failure:', 'on-failure:x', 'always:3', 'no:0', 'onfailure'].map(readRestart)).toEqual(
    Array(6).fill(undefined),
  );
});

test('nothing is mounted in, over or above what is ours, the workspace, and in what is the kernel’s', () => {
  const kept = [
    '/clawrden',
    '/clawrden/bin',
    '/clawrden/bin/npm',
    '/var/run/clawrden',
    '/run/clawrden/x',
    '/work/app',
  ];
  const above = ['/var', '/var/run', '/run', '/work', '/'];
  const kernels = ['/proc', '/proc/sys', '/sys/fs/cgroup', '/dev', '/dev/shm'];
  for (const target of [...kept, ...above, ...kernels])
    expect(() => checkTarget('--tmpfs', target, '/work/app')).toThrow(`nothing is mounted at ${target},`);
  const free = ['/app', '/clawrdenx', '/run/lock', '/var/lib', '/work/other', '/data', '/procs', '/devel'];
  for (const target of free) checkTarget('--tmpfs', target, '/work/app');
  checkTarget('--tmpfs', '/work/app', undefined);
});
