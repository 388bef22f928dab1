import { mkdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { nativeBuilds } from './native-builds.ts';
import { eventually } from './process-table.ts';
import { ShimBench, type SpawnOptions } from './shim-process.ts';

const asRoot = process.geteuid?.() === 0;

describe.each(nativeBuilds)('what the shim asks ($name)', (build) => {
  async function requestOf(args: readonly string[], options: SpawnOptions = {}) {
    await using bench = new ShimBench(build);
    await using relay = await bench.relay();
    const run = bench.tool(args, options);
    const connection = await relay.next();
    const request = await connection.answer(0);
    connection.exit(0);
    await run.end();
    return request;
  }

  async function requestOfScript(script: string, options: SpawnOptions = {}) {
    await using bench = new ShimBench(build);
    await using relay = await bench.relay();
    const run = bench.script(script, options);
    const connection = await relay.next();
    const request = await connection.answer(0);
    connection.exit(0);
    await run.end();
    return request;
  }

  test('everything that the wire lists, and nothing else', async () => {
    const request = await requestOf(['a', '-b'], { env: { HOME: '/h' }, cwd: '/usr' });
    expect(request).toMatchObject({
      v: 1,
      command: 'tool',
      args: ['a', '-b'],
      cwd: '/usr',
      identity: { uid: process.geteuid?.(), gid: process.getegid?.() },
      umask: process.umask(),
      stdio: ['pipe', 'pipe', 'pipe'],
      ignored: [],
    });
    expect(request.env).toContain('HOME=/h');
    expect(Object.keys(request).sort()).toEqual(
      ['args', 'command', 'cwd', 'env', 'identity', 'ignored', 'stdio', 'umask', 'v'].sort(),
    );
  });

  test('the name of the tool is the last part of argv[0]', async () => {
    expect((await requestOfScript('exec -a ../x/tool $T')).command).toBe('tool');
  });

  test('strings arrive as they are, whatever JSON thinks of them', async () => {
    const odd = [
      '',
      ' ',
      '"',
      '\\',
      '\\u0041',
      '/',
      '\n\r\t\b\f',
      '\u0001\u001f\u007f',
      'é€\u2028\ufffd💥',
      '{"a":[1]}',
    ];
    const request = await requestOf(odd, { env: { ODD: odd.join('|') } });
    expect(request.args).toEqual(odd);
    expect(request.env).toContain(`ODD=${odd.join('|')}`);
  });

  test('every control character, and the edges of UTF-8', async () => {
    const controls = Array.from({ length: 31 }, (_, index) => String.fromCharCode(index + 1));
    const edges = [0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xffff, 0x10000, 0x10ffff].map((point) =>
      String.fromCodePoint(point),
    );
    expect((await requestOf([...controls, ...edges])).args).toEqual([...controls, ...edges]);
  });

  test.each([
    ['a lone continuation', '\\x80'],
    ['a cut character', '\\xc3'],
    ['a cut character before another', '\\xe2\\x82a'],
    ['Latin-1', 'caf\\xe9'],
    ['0xFF', '\\xff'],
    ['an overlong slash', '\\xc0\\xaf'],
    ['an overlong of three', '\\xe0\\x80\\xaf'],
    ['an overlong of four', '\\xf0\\x80\\x80\\xaf'],
    ['a surrogate', '\\xed\\xa0\\x80'],
    ['beyond Unicode', '\\xf4\\x90\\x80\\x80'],
    ['five bytes', '\\xf8\\x88\\x80\\x80\\x80'],
  ])('A-05: %s is refused before anything is sent', async (_name, bytes) => {
    await using bench = new ShimBench(build);
    await using relay = await bench.relay();
    const places = [`$T a $'${bytes}'`, `X=$'${bytes}' $T`, `mkdir $'${bytes}'; cd $'${bytes}'; $T`];
    for (const place of places) {
      const { code, stderr } = await bench.script(place).end();
      expect(stderr).toMatch(/^clawrden: not-utf8: .*\n$/);
      expect(code).toBe(125);
    }
    expect(relay.unclaimed).toBe(0);
  });

  test('A-03: up to 1 MiB is sent, more is refused as too large', async () => {
    const words = (total: number) =>
      Array.from({ length: Math.ceil(total / 100_000) }, () => 'x'.repeat(100_000));
    const request = await requestOf(words(1_000_000), { env: { PATH: '/usr/bin:/bin' } });
    expect(request.args.join('').length).toBe(1_000_000);
    await using bench = new ShimBench(build);
    await using relay = await bench.relay();
    for (const args of [words(1_100_000), Array.from({ length: 9 }, () => '\u0001'.repeat(30_000))]) {
      const { code, stderr } = await bench.tool(args).end();
      expect(stderr).toMatch(/^clawrden: too-large: .*\n$/);
      expect(code).toBe(1);
    }
    expect(relay.unclaimed).toBe(0);
  });

  test('what is no assignment is not part of the environment', async () => {
    const { env } = await requestOfScript(`exec env -i CLAWRDEN_SOCKET="$CLAWRDEN_SOCKET" =x A= $T`);
    expect(env).toEqual([expect.stringMatching(/^CLAWRDEN_SOCKET=/), 'A=']);
  });

  test('a directory that is gone', async () => {
    await using bench = new ShimBench(build);
    await using relay = await bench.relay();
    const gone = join(bench.directory, 'gone');
    mkdirSync(gone);
    const run = bench.script('echo up; read go; $T', { cwd: gone });
    await eventually(() => run.stdout !== '', 'the shell started');
    rmdirSync(gone);
    run.child.stdin?.write('\n');
    expect(await run.end()).toMatchObject({
      code: 125,
      stderr: expect.stringMatching(/^clawrden: cwd-missing: /),
    });
    expect(relay.unclaimed).toBe(0);
  });

  test('a directory whose path is longer than paths may be', async () => {
    const diving = `const name = "d".repeat(200);
      for (let depth = 0; depth < 22; depth += 1) { fs.mkdirSync(name); process.chdir(name); }
      const { status } = child_process.spawnSync(process.argv[1], { stdio: "inherit" });
      for (let depth = 0; depth < 22; depth += 1) { process.chdir(".."); fs.rmdirSync(name); }
      process.exit(status);`;
    await using bench = new ShimBench(build);
    await using relay = await bench.relay();
    const run = bench.script(`exec ${process.execPath} -e '${diving}' $T`, { cwd: bench.directory });
    expect(await run.end()).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^clawrden: too-large: the path of the current directory is over 4 KiB/),
    });
    expect(relay.unclaimed).toBe(0);
  });

  test.each([
    ['</dev/null >/dev/null 2>/dev/null', ['null', 'null', 'null']],
    ['</dev/null >/dev/null 2>&1', ['null', 'null', '=1']],
    ['<&- >&- 2>&-', ['closed', 'closed', 'closed']],
    ['</etc/passwd >out 2>err', ['file', 'file', 'file']],
    ['</etc/passwd >out 2>&1', ['file', 'file', '=1']],
    ['</dev/zero 2>out', ['file', 'pipe', 'file']],
    ['<&- 2>&1', ['closed', 'pipe', '=1']],
    ['< <(true) > >(cat) 2> >(cat)', ['pipe', 'pipe', 'pipe']],
    ['>out 2>out', ['pipe', 'file', 'file']],
    ['>&- 2>/dev/null', ['pipe', 'closed', 'null']],
  ])('stdio %s', async (redirections, stdio) => {
    expect((await requestOfScript(`exec $T ${redirections}`)).stdio).toEqual(stdio);
  });

  test('umask, ignored and blocked signals (A-532)', async () => {
    expect(await requestOfScript('umask 0137; exec $T')).toMatchObject({ umask: 0o137 });
    expect((await requestOfScript('trap "" HUP PIPE USR1 CHLD; exec $T')).ignored).toEqual([1, 10, 13, 17]);
    const blocking =
      'import os, signal, sys; signal.pthread_sigmask(signal.SIG_BLOCK, {2, 15}); os.execv(sys.argv[1], sys.argv[1:])';
    expect((await requestOfScript(`exec python3 -c '${blocking}' $T`)).blocked).toEqual([2, 15]);
  });

  test.runIf(asRoot)('A-09: the effective ids', async () => {
    const script =
      'chmod 711 .; chmod 777 warden.sock; exec setpriv --reuid 1000 --regid 1001 --clear-groups $T';
    expect((await requestOfScript(script)).identity).toEqual({ uid: 1000, gid: 1001 });
  });
});
