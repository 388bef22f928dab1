import { spawnSync } from 'node:child_process';
import { chmodSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nativeBuilds } from './native-builds.ts';
import { ShimBench } from './shim-process.ts';

const numRuns = process.env['CLAWRDEN_LONG'] === '1' ? 1000 : 40;
const linked = 'npm';

const piece = fc.constantFrom('npm', 'rm', '.', '-', '/', '\u001b', 'é', 'x', ' ', '\n', 'Npm');
const text = fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join(''));
const basename = (name: string) => name.slice(name.lastIndexOf('/') + 1);

describe.each(nativeBuilds)('the name that the shim is called by ($name)', (build) => {
  const call = (bench: ShimBench, argv0: string) => {
    const env = { CLAWRDEN_SOCKET: join(bench.directory, 'none/warden.sock') };
    // One that is taken waits for a listener for 5 s, and says another thing.
    const options = { argv0, env, encoding: 'utf8', timeout: 60_000, killSignal: 'SIGKILL' } as const;
    return spawnSync(join(bench.jail, linked), ['install'], options);
  };

  test('A-83: is refused if it is not the name of the link, in one line of ASCII', async () => {
    await using bench = new ShimBench(build, [linked]);
    fc.assert(
      fc.property(
        text.filter((name) => basename(name) !== linked),
        (argv0) => {
          const { status, stdout, stderr } = call(bench, argv0);
          expect(stderr).toMatch(
            /^clawrden: name-mismatch: it was started by the link npm and calls itself [\x20-\x7e]*; start it by the name of the tool\n$/,
          );
          expect([status, stdout]).toEqual([1, '']);
        },
      ),
      { numRuns },
    );
  });

  test('is the last part of whatever path leads to the link', async () => {
    await using bench = new ShimBench(build, [linked]);
    await using relay = await bench.relay();
    for (const argv0 of ['npm', './npm', '../npm', '/elsewhere/npm', '//npm']) {
      const run = bench.run(['bash', '-c', `exec -a ${argv0} ${join(bench.jail, linked)}`]);
      const connection = await relay.next();
      expect((await connection.request()).command).toBe(linked);
      connection.socket.destroy();
      await run.end();
    }
  });

  test('is that of the link which a script names as its interpreter', async () => {
    await using bench = new ShimBench(build, ['node', 'sh']);
    await using relay = await bench.relay();
    for (const [first, args] of [
      [`#!${bench.jail}/node`, []],
      [`#! ${bench.jail}/sh -e x`, ['-e x']],
    ] as const) {
      const script = join(bench.directory, 'script');
      writeFileSync(script, `${first}\n`);
      chmodSync(script, 0o755);
      const run = bench.run([script, 'more']);
      const connection = await relay.next();
      const { command, args: sent } = await connection.request();
      expect([command, sent]).toEqual([args.length === 0 ? 'node' : 'sh', [...args, script, 'more']]);
      connection.socket.destroy();
      await run.end();
    }
  });

  test('A-83: is not taken from an interpreter that leads elsewhere', async () => {
    await using bench = new ShimBench(build, ['node']);
    symlinkSync('/bin/true', join(bench.jail, 'true'));
    const script = `exec -a ${bench.jail}/true ${bench.jail}/node ${bench.jail}/node`;
    expect(await bench.script(script).end()).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^clawrden: name-mismatch: /),
    });
  });
});
