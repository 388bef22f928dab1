import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FakeRelay } from './fake-relay.ts';
import { nativeBuilds } from './native-builds.ts';
import { ShimBench, type ShimEnd, type SpawnOptions } from './shim-process.ts';

const asRoot = process.geteuid?.() === 0;

describe.each(nativeBuilds)('the original, run in place ($name)', (build) => {
  /** Runs `script` with the jail first on PATH; the relay lets the first tool run its original. */
  async function run(
    prepare: (bin: string, bench: ShimBench) => void,
    script: string,
    options: SpawnOptions = {},
  ): Promise<ShimEnd & { readonly sent: number }> {
    await using bench = new ShimBench(build);
    await using relay = await bench.relay();
    const bin = join(bench.directory, 'usr');
    mkdirSync(bin);
    prepare(bin, bench);
    const env = { ...options.env, PATH: `${bench.jail}:${bin}:/usr/bin:/bin`, BIN: bin };
    const command = bench.script(script, { ...options, env });
    const connection = await relay.next();
    await connection.answer(3);
    const end = await command.end();
    return { ...end, sent: connection.inbox.frames.length };
  }
  const program = (path: string, text: string) =>
    writeFileSync(path, `#!/bin/sh\n${text}\n`, { mode: 0o755 });

  test('TOOL on PATH, with its arguments, its descriptors and its exit code', async () => {
    const end = await run(
      (bin) => program(join(bin, 'tool'), 'cat; echo "$@" >&2; exit 9'),
      'echo in | tool a "b c"',
    );
    expect(end).toMatchObject({ code: 9, stdout: 'in\n', stderr: 'a b c\n', sent: 0 });
  });

  test('TOOL.original before any TOOL', async () => {
    const { stdout } = await run((bin, { directory }) => {
      program(join(bin, 'tool'), 'echo plain');
      mkdirSync(join(directory, 'later'));
      program(join(directory, 'later', 'tool.original'), 'echo locked');
    }, 'PATH=$PATH:$PWD/later; tool');
    expect(stdout).toBe('locked\n');
  });

  test('argv[0] stays TOOL, and the environment as it is', async () => {
    const look = 'exec tool -c \'tr "\\0" " " </proc/$$/cmdline; echo "$ODD"\' x';
    const { stdout } = await run((bin) => symlinkSync('/bin/sh', join(bin, 'tool')), look, {
      env: { ODD: 'a\nb' },
    });
    expect(stdout).toMatch(/^tool -c /);
    expect(stdout).toMatch(/a\nb\n$/);
  });

  test('never the shim, under whatever name, nor what lies beside the tool links', async () => {
    const end = await run((bin, { jail }) => {
      symlinkSync(build.shim, join(bin, 'tool'));
      symlinkSync(join(jail, 'tool'), join(bin, 'tool.original'));
    }, 'tool');
    expect(end).toMatchObject({
      code: 127,
      stderr: expect.stringMatching(/^clawrden: not-found: tool: .*\n$/),
    });
  });

  test('what is there but may not be executed: 126', async () => {
    const end = await run((bin) => writeFileSync(join(bin, 'tool'), '', { mode: 0o644 }), 'tool');
    expect(end).toMatchObject({
      code: 126,
      stderr: expect.stringMatching(/^clawrden: not-executable: tool: /),
    });
    const broken = await run(
      (bin) => writeFileSync(join(bin, 'tool'), '#!/nonexistent\n', { mode: 0o755 }),
      'tool',
    );
    expect(broken).toMatchObject({
      code: 126,
      stderr: expect.stringMatching(/^clawrden: not-executable: .*tool/),
    });
  });

  test('signal dispositions, the mask, the group and every descriptor are its caller’s', async () => {
    const look = 'grep -E "^Sig(Blk|Ign)" /proc/self/status; ls /proc/self/fd | tr "\\n" " "';
    const prepare = (bin: string) => program(join(bin, 'tool'), `${look}; cat <&7`);
    const { stdout } = await run(prepare, 'trap "" USR2; exec tool 7</etc/hostname 2>&-');
    expect(stdout).toMatch(/SigBlk:\s0{16}\nSigIgn:\s0{12}0800\n/);
    const descriptors = stdout.split('\n')[2]?.match(/\b\d\b/g);
    // Descriptor 2 was closed, so it became the folder that is being listed.
    expect(descriptors).toEqual(['0', '1', '2', '7']);
  });

  test('no signal is left blocked', async () => {
    // Not through a shell: some shells unblock all signals at their start.
    const { stdout } = await run(
      (bin) => symlinkSync('/bin/cat', join(bin, 'tool')),
      'tool /proc/self/status',
    );
    expect(stdout).toMatch(/SigBlk:\s0{16}\n/);
  });

  test('eats no input, from a pipe or a file', async () => {
    const prepare = (bin: string) => program(join(bin, 'tool'), 'exec head -c 3');
    expect((await run(prepare, 'printf "abc\\ndef\\n" | tool')).stdout).toBe('abc');
    expect((await run(prepare, 'printf "abcdef" >f; tool <f')).stdout).toBe('abc');
  });

  test('PATH without a value, and empty parts of it', async () => {
    const here = (_bin: string, { directory }: ShimBench) => program(join(directory, 'tool'), 'echo here');
    for (const path of ['PATH=:/nonexistent', 'PATH=/nonexistent:', 'PATH=']) {
      expect(await run(here, `${path} $T`)).toMatchObject({ stdout: 'here\n' });
    }
    expect(await run(here, 'unset PATH; exec $T')).toMatchObject({ code: 127 });
  });

  test.runIf(asRoot)('all of it where there is nothing but the shim', async () => {
    await using bench = new ShimBench(build);
    if (build.name === 'sanitized') return;
    const root = join(bench.directory, 'root');
    mkdirSync(root);
    copyFileSync(build.shim, join(root, 'tool'));
    await using relay = await FakeRelay.listen(join(root, 's'));
    const end = async (...acks: number[]) => {
      const command = bench.run(['chroot', root, '/tool', 'x'], { env: { CLAWRDEN_SOCKET: '/s' } });
      const connection = await relay.next();
      expect(await connection.answer(...acks)).toMatchObject({ command: 'tool', cwd: '/', args: ['x'] });
      if (acks.at(-1) === 0) connection.exit(5);
      return await command.end();
    };
    expect(await end(2, 0)).toMatchObject({ code: 5, stderr: '' });
    expect(await end(3)).toMatchObject({
      code: 127,
      stderr: expect.stringMatching(/^clawrden: not-found: /),
    });
  });
});
