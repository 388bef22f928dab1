import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FrameType } from '../../../src/wire/frames.ts';
import { InitProcess } from './init-process.ts';
import { nativeBuilds } from './native-builds.ts';

const asRoot = process.geteuid?.() === 0;
const asAgent = ['setpriv', '--reuid', '1000', '--regid', '1000', '--clear-groups'];
let root: string;
const path = 'PATH=/usr/local/bin:/usr/bin:/bin';

function program(file: string, text: string): void {
  writeFileSync(file, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
}

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'clawrden-start-'));
  for (const folder of ['app/sub/deep', 'app-evil', 'outside', 'bin', 'locked']) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  symlinkSync('../outside', join(root, 'app/out'));
  symlinkSync('..', join(root, 'app/up'));
  symlinkSync('sub', join(root, 'app/in'));
  symlinkSync('app', join(root, 'alias'));
  writeFileSync(join(root, 'app/file'), '');
  writeFileSync(join(root, 'bin/plain'), 'echo "no interpreter: $0 $*"\n', { mode: 0o755 });
  writeFileSync(join(root, 'bin/locked'), '#!/bin/sh\n', { mode: 0o644 });
  writeFileSync(join(root, 'bin/broken'), '#!/nonexistent/interpreter\n', { mode: 0o755 });
  writeFileSync(join(root, 'bin/whoami'), '#!/bin/sh\necho first\n', { mode: 0o755 });
  mkdirSync(join(root, 'bin/folder'));
  chmodSync(root, 0o755);
});
afterAll(() => rmSync(root, { recursive: true }));

describe.each(nativeBuilds)('how a command starts ($name)', ({ init }) => {
  async function run(plan: Parameters<typeof InitProcess.start>[1], env?: NodeJS.ProcessEnv) {
    await using command = InitProcess.start(init, plan, [], env);
    const end = await command.end();
    return { ...end, started: command.inbox.frames.some(({ type }) => type === FrameType.started) };
  }
  const inWorkspace = (cwd: string) => ({
    script: 'pwd -P',
    workspace: join(root, 'app'),
    cwd: `${root}/${cwd}`,
  });

  test.each([
    'app',
    'app/',
    'app//sub',
    'app/./sub',
    'app/sub/..',
    'app/in',
    'app/in/deep/../..',
    'alias/sub',
  ])('A-16 A-17: %s lies in the workspace', async (cwd) => {
    const { stdout, code } = await run(inWorkspace(cwd));
    expect(code).toBe(0);
    expect(stdout.trim()).toMatch(new RegExp(`^${root}/app(/sub|$)`));
  });

  test.each([
    'app-evil',
    'app/../outside',
    'app/..',
    'app/out',
    'app/up',
    'app/in/../../outside',
    '../../../../etc',
  ])('A-15 A-17: %s leads out of the workspace', async (cwd) => {
    const { refused, started } = await run(inWorkspace(cwd));
    expect(refused).toMatch(/^cwd-outside: .*leads out of the workspace/);
    expect(started).toBe(false);
  });

  test.each(['app/none', 'app/file', 'none'])('A-18: %s is missing', async (cwd) => {
    const { refused, started } = await run(inWorkspace(cwd));
    expect(refused).toMatch(/^cwd-missing: /);
    expect(started).toBe(false);
  });

  test('a workspace that is a link, or everything', async () => {
    expect(await run({ ...inWorkspace('app/sub'), workspace: join(root, 'alias') })).toMatchObject({
      code: 0,
    });
    expect(await run({ ...inWorkspace('outside'), workspace: '/' })).toMatchObject({ code: 0 });
    expect((await run({ ...inWorkspace('app'), workspace: join(root, 'none') })).refused).toMatch(
      /^cwd-missing: /,
    );
  });

  test('searches the PATH of its plan, in order', async () => {
    const env = [`PATH=/nonexistent:${root}/bin:/usr/bin:/bin`];
    expect(await run({ argv: ['whoami'], env })).toMatchObject({ stdout: 'first\n' });
    expect((await run({ argv: ['nosuchtool'], env })).refused).toBe(
      'not-found: nosuchtool does not exist where the command runs',
    );
    expect((await run({ argv: [''], env })).refused).toMatch(/^not-found: /);
    for (const name of ['folder']) {
      expect((await run({ argv: [name], env })).refused).toMatch(/^not-executable: /);
    }
    expect((await run({ argv: ['broken'], env })).refused).toMatch(/^not-executable: .*interpreter/);
  });

  test('a file without a known format is a script, as for a shell', async () => {
    const env = [`PATH=${root}/bin:/usr/bin:/bin`];
    const { stdout } = await run({ argv: ['plain', 'a b', ''], env });
    expect(stdout).toBe(`no interpreter: ${root}/bin/plain a b \n`);
  });

  test('arguments and environment arrive as they are', async () => {
    const long = 'x'.repeat(131_000);
    const odd = ['', ' ', '\n', '"', "'", '\\', '*', '$HOME', 'é', '💥', '-n', long];
    const script = 'for a; do printf "%s\\0" "$a"; done';
    const { stdout } = await run({ argv: ['bash', '-c', script, 'sh', ...odd] });
    expect(stdout.split('\0').slice(0, -1)).toEqual(odd);
    const env = [path, 'A=', 'B=1=2', 'C=\n', `LONG=${long}`];
    const listed = await run({ argv: ['env', '-0'], env });
    expect(listed.stdout.split('\0').slice(0, -1)).toEqual(env);
  });

  test('PWD is passed only if it names the directory', async () => {
    const plan = { argv: ['printenv', 'PWD'], cwd: join(root, 'app/sub') };
    for (const pwd of [join(root, 'app/sub'), join(root, 'alias/in')]) {
      expect(await run({ ...plan, env: [path, `PWD=${pwd}`] })).toMatchObject({ stdout: `${pwd}\n` });
    }
    for (const pwd of [join(root, 'app'), '.', '', '/nonexistent']) {
      expect(await run({ ...plan, env: [path, `PWD=${pwd}`] })).toMatchObject({ stdout: '', code: 1 });
    }
  });

  test('umask, and what cannot be run for its size', async () => {
    expect(await run({ script: 'umask', umask: 0o137 })).toMatchObject({ stdout: '0137\n' });
    const { refused } = await run({ argv: ['true', 'x'.repeat(140_000)] });
    expect(refused).toBe('not-executable: true: Argument list too long');
  });

  describe('mirrored', () => {
    test('PATH and HOME are those of the container under the environment of the plan', async () => {
      const own = { PATH: `/clawrden/bin:/usr/bin:/clawrden/bin/:/bin`, HOME: '/root', SECRET: 'no' };
      const plan = { argv: ['env', '-0'], mirror: true };
      const { stdout } = await run({ ...plan, env: ['A=b'] }, own);
      expect(stdout.split('\0').slice(0, -1)).toEqual(['PATH=/usr/bin:/bin', 'HOME=/root', 'A=b']);
      const over = await run({ ...plan, env: ['HOME=/h'] }, own);
      expect(over.stdout.split('\0').slice(0, -1)).toEqual(['PATH=/usr/bin:/bin', 'HOME=/h']);
    });

    test('finds the original, never the shim: TOOL.original first, argv[0] stays TOOL', async () => {
      const [jail, originals] = [mkdtempSync(join(root, 'jail-')), mkdtempSync(join(root, 'originals-'))];
      const shim = join(jail, '.shim');
      program(shim, 'echo shim');
      for (const folder of [jail, originals]) {
        chmodSync(folder, 0o755);
        symlinkSync(shim, join(folder, 'tool'));
      }
      // Its own folder, after links are resolved.
      const own = join(jail, '.init');
      copyFileSync(init, own);
      const env = { PATH: `${jail}:${originals}:${root}/bin:/usr/bin:/bin` };
      const mirrored = async (...args: string[]) => {
        const plan = { argv: ['tool', ...args], mirror: true, env: [] };
        await using command = InitProcess.start(own, plan, asRoot ? asAgent : [], env);
        return await command.end();
      };
      expect((await mirrored()).refused).toMatch(/^not-found: tool/);
      program(join(root, 'bin/tool'), 'echo plain $1');
      expect(await mirrored('x')).toMatchObject({ stdout: 'plain x\n' });
      symlinkSync('/bin/bash', join(originals, 'tool.original'));
      expect(await mirrored('-c', 'echo $0')).toMatchObject({ stdout: 'tool\n' });
      rmSync(join(root, 'bin/tool'));
    });
  });
});
