import { chown, mkdir, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run } from '../lab/command.ts';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { type GhostWatch, startsSince, watchGhosts } from '../stack/engine-events.ts';
import { plainRequest, type RawAgent, rawContainer, startRawAgent } from '../stack/raw-agent.ts';
import { type Stack, startStack } from '../stack/start-stack.ts';
import { createVerdicts, type Verdicts } from '../stack/verdicts.ts';
import { expectHardened } from './hardened.ts';

const policy = `version: 1
default: deny
workspace: /app
timeout: 1m
environment: { allow: [LANG] }
tools:
  "true": { strategy: passthrough }
  ls: { strategy: mirror }
  pwd: { strategy: ghost, image: "clawrden-lab/busybox:latest" }
  cat: { strategy: ghost, image: "clawrden-lab/busybox:latest" }
  find: { strategy: ghost, image: "clawrden-lab/busybox:latest" }
  sh: { strategy: ghost, image: "clawrden-lab/busybox:latest" }
  python3: { strategy: ghost, image: "clawrden-lab/node:24" }
rules:
  - { name: harm, tools: [python3], args: [/app/harm.py], action: allow }
  - { name: probe, tools: [sh], args: ["-c", "pwd -P; ls"], action: allow }
  - { name: look, tools: ["true", ls, pwd, cat, find], action: allow }
complete: true
`;

// In turn a directory with one file, a link out of the workspace, and nothing, about 500 times a second.
const swapping = `const fs = require('node:fs');
const wait = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 0.7);
for (let turn = 0; ; turn += 1) {
  fs.renameSync('/app/d', '/app/real');
  fs.symlinkSync(turn % 2 ? '/' : '/etc', '/app/d');
  wait();
  fs.unlinkSync('/app/d');
  fs.renameSync('/app/real', '/app/d');
  wait();
}`;
// Files that harm a program that follows, counts, copies or removes them without care.
const harming = `import os
os.makedirs('/app/harm/-rf')
os.chdir('/app/harm')
os.symlink('/etc', 'etc')
os.symlink('/etc/passwd', 'passwd')
open('own', 'w').write('own')
os.link('own', 'hard')
os.chmod('own', 0o6755)
open('new\\nline', 'w').write('of two lines')
os.mkfifo('fifo')
os.mkdir('deep')
os.chdir('deep')
for depth in range(1, 10000):
    os.mkdir('d')
    os.chdir('d')
`;
// Goes to the bottom of it and runs a tool there.
const divingDeep = `process.chdir('/app/harm/deep');
for (let depth = 1; depth < 10000; depth += 1) process.chdir('d');
const { status, stderr } = require('node:child_process').spawnSync('/clawrden/bin/ls', { encoding: 'utf8' });
console.log(status, stderr);
`;
const races = process.env['CLAWRDEN_LONG'] === '1' ? 1000 : 100;

describe.skipIf(!hasLab())('the working directory and the workspace', () => {
  let stack: Stack;
  let raw: RawAgent;
  let verdicts: Verdicts;
  let ghosts: GhostWatch;
  beforeAll(async () => {
    ghosts = watchGhosts(sharedLab());
    stack = await startStack(sharedLab(), {
      name: 'work',
      policy,
      agents: { coder: { container: rawContainer }, other: { users: ['1001:1001'] } },
    });
    await fillWorkspaces(stack.workspaceOf('coder'), stack.workspaceOf('other'));
    raw = startRawAgent(stack.agents['coder']!);
    verdicts = createVerdicts(sharedLab(), stack, raw);
  });
  afterAll(async () => {
    ghosts?.stop();
    raw?.[Symbol.dispose]();
    await stack?.stop();
  });

  const runIn = (cwd: string, command: string, args: string[] = []) =>
    raw.request({ ...plainRequest, command, args, cwd });

  test.each([
    ...['/app-evil', '/application', '/app/../etc', '/app/..', '/', '', 'app', './', '/APP', '//etc'],
    ...['/app/../app/../etc', '/proc/self/cwd', '/proc/self/fd/7', '/app∕..'],
  ])('A-15 the directory %j is outside: refused, whatever the strategy', async (cwd) => {
    for (const command of ['true', 'ls', 'pwd'])
      await verdicts.refuses(() => runIn(cwd, command), 'cwd-outside');
  });

  test('A-15 a directory with a NUL is refused', () =>
    verdicts.refuses(() => runIn('/app\0/x', 'ls'), 'request-invalid'));

  test('A-15 %2e%2e is the name of a directory that is not there', async () => {
    for (const command of ['ls', 'pwd'])
      expect(await runIn('/app/%2e%2e/etc', command)).toMatchObject(endedIn('cwd-missing', 125));
  });

  test.each([
    ['/app', '/app'],
    ['/app/', '/app'],
    ['/app//sub', '/app/sub'],
    ['/app/./sub', '/app/sub'],
    ['/app/sub/..', '/app'],
    ['/app/../app/sub', '/app/sub'],
  ])('A-16 the directory %s is %s to the tool', async (cwd, seen) => {
    const served = { acks: [0], stderr: '', exit: [0, 0] };
    expect(await runIn(cwd, 'pwd')).toMatchObject({ ...served, stdout: `${seen}\n` });
    const names = seen === '/app' ? 'in\nlink\nown.txt\nsub\nup\n' : 'file.txt\n';
    expect(await runIn(cwd, 'ls')).toMatchObject({ ...served, stdout: names });
  });

  test.each(['link', 'up', 'link/../sub/../link', 'in/../../etc'])(
    'A-17 a link that leads out of the workspace is not followed: /app/%s',
    async (path) => {
      for (const command of ['ls', 'find']) {
        const { stdout, stderr, exit } = await runIn(`/app/${path}`, command);
        expect({ stdout, exit }).toEqual({ stdout: '', exit: [1, 0] });
        expect(stderr).toMatch(/^clawrden: cwd-outside: [^\n]+\n$/);
      }
    },
  );

  test('A-17 nor is it by passthrough, where the shim itself stands in the directory', async () => {
    const since = Date.now();
    const { code, stderr } = await stack.agents['coder']!.exec(['true'], { cwd: '/app/link' });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^clawrden: cwd-outside: /) });
    expect(await startsSince(sharedLab(), since)).toEqual([]);
  });

  test('A-17 a link to a directory inside the workspace is followed', async () => {
    expect(await runIn('/app/in', 'cat', ['file.txt'])).toMatchObject({ stdout: 'inside\n', exit: [0, 0] });
    expect(await runIn('/app/in', 'ls')).toMatchObject({ stdout: 'file.txt\n', exit: [0, 0] });
  });

  test('A-18 a directory that is not there is refused by where it would run, and not made', async () => {
    for (const command of ['ls', 'pwd'])
      expect(await runIn('/app/does/not/exist', command)).toMatchObject(endedIn('cwd-missing', 125));
    expect((await readdir(stack.workspaceOf('coder'))).sort()).toEqual([
      'in',
      'link',
      'own.txt',
      'sub',
      'up',
    ]);
    await verdicts.serves();
  });

  test('A-20 on each Docker host an agent sees its own files, and none of another agent', async () => {
    const before = (await stack.audit()).length;
    const looks = Array.from({ length: 6 }, () => runIn('/app', 'find', ['/', '-name', '*.txt', '-xdev']));
    const all = Array.from({ length: 6 }, () => runIn('/app', 'find', ['/app', '-name', '*.txt']));
    for (const { stdout } of await Promise.all(all))
      expect(stdout.split('\n').sort().join(' ')).toBe(' /app/own.txt /app/sub/file.txt');
    for (const { stdout } of await Promise.all(looks)) expect(stdout).not.toContain('secret');
    const starts = (await stack.audit()).slice(before).filter(({ type }) => type === 'start');
    expect(new Set(starts.map(({ host }) => host))).toEqual(new Set(stack.hosts));
    expect(await runIn('/app', 'cat', ['own.txt'])).toMatchObject({ stdout: 'of coder\n' });
    const other = await stack.agents['other']!.exec(['find', '/app', '-type', 'f'], { user: '1001:1001' });
    expect(other).toMatchObject({ code: 0, stdout: '/app/secret.txt\n' });
  });

  test('A-19 a directory that turns into a link out of the workspace and back is never left', async () => {
    const agent = stack.agents['coder']!;
    await agent.exec(['/bin/sh', '-c', 'mkdir d && touch d/inner.txt']);
    const racer = agent.spawn(['node', '--eval', swapping]);
    const seen = { inside: 0, refused: 0 };
    const look = async (index: number) => {
      const { stdout, stderr, exit } =
        index % 2 === 0 ? await runIn('/app/d', 'sh', ['-c', 'pwd -P; ls']) : await runIn('/app/d', 'ls');
      if (exit?.[0] === 0) expect(stdout).toMatch(/^(?:\/app\/(?:d|real)\n)?inner\.txt\n$/);
      else
        expect({ stdout, stderr }).toEqual({ stdout: '', stderr: expect.stringMatching(/^clawrden: cwd-/) });
      seen[exit?.[0] === 0 ? 'inside' : 'refused'] += 1;
    };
    const next = [...Array(races).keys()];
    const worker = async () => {
      for (let index = next.pop(); index !== undefined; index = next.pop()) await look(index);
    };
    await Promise.all(Array.from({ length: 8 }, worker)).finally(() => racer.kill());
    await agent.exec(['pkill', '-f', 'symlinkSync']);
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(races / 20);
  }, 600_000);

  test('A-62 whatever a ghost leaves in the workspace is the caller’s own and harms nobody', async () => {
    const app = stack.workspaceOf('coder');
    const outside = async () =>
      Promise.all(['/etc', '/etc/passwd', app].map(async (path) => ownership(await stat(path))));
    const before = await outside();
    await writeFile(join(app, 'harm.py'), harming);
    try {
      expect(await runIn('/app', 'python3', ['/app/harm.py'])).toMatchObject({ stderr: '', exit: [0, 0] });
      expect(await outside()).toEqual(before);
      const found = await run(['find', join(app, 'harm'), '-printf', '%U:%G %d\n']);
      const lines = found.trim().split('\n');
      expect(lines.filter((line) => !line.startsWith('1000:1000 '))).toEqual([]);
      expect(lines.some((line) => line.endsWith(' 10000'))).toBe(true);
      expect((await runIn('/app/harm', 'ls', ['-b'])).stdout.split('\n').sort()).toEqual(
        ['', '-rf', 'deep', 'etc', 'fifo', 'hard', 'new\\nline', 'own', 'passwd'].sort(),
      );
      expect(await runIn('/app/harm', 'cat', ['new\nline', 'passwd'])).toMatchObject({
        stdout: expect.stringMatching(/^of two linesroot:/),
        exit: [0, 0],
      });
      const deep = await stack.agents['coder']!.exec(['node', '--eval', divingDeep]);
      expect(deep.stdout).toMatch(/^1 clawrden: too-large: .*\n\n$/);
    } finally {
      await run(['rm', '-rf', join(app, 'harm')]);
    }
  });

  test('A-60 every ghost that this took was hardened', async () => {
    const workspaces = { coder: stack.workspaceOf('coder'), other: stack.workspaceOf('other') };
    const users = { coder: '1000:1000', other: '1001:1001' };
    const all = await ghosts.inspected();
    expect(all.length).toBeGreaterThan(20);
    for (const ghost of all)
      await expectHardened(ghost, { workspaces, users, stateDir: join(stack.dir, 'warden') });
  });
});

function ownership({ uid, gid, mode }: { uid: number; gid: number; mode: number }): object {
  return { uid, gid, mode };
}

function endedIn(reason: string, code: number): object {
  const stderr = expect.stringMatching(new RegExp(`^clawrden: ${reason}: [^\\n]+\\n$`));
  return { acks: [0], stdout: '', stderr, exit: [code, 0] };
}

async function fillWorkspaces(own: string, others: string): Promise<void> {
  await mkdir(join(own, 'sub'));
  await writeFile(join(own, 'own.txt'), 'of coder\n');
  await writeFile(join(own, 'sub/file.txt'), 'inside\n');
  for (const [link, target] of [
    ['link', '/etc'],
    ['up', '..'],
    ['in', '/app/sub'],
  ] as const)
    await symlink(target, join(own, link));
  await writeFile(join(others, 'secret.txt'), 'of other\n');
  await chown(others, 1001, 1001);
}
