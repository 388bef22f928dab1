import { execFileSync, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parseInitEnd } from '../../../src/init-client/init-end.ts';
import { FrameType } from '../../../src/wire/frames.ts';
import { InitProcess } from './init-process.ts';
import { nativeBuilds } from './native-builds.ts';
import { eventually, processesWith } from './process-table.ts';

const asRoot = process.geteuid?.() === 0;
const deadly = [
  'SIGHUP',
  'SIGINT',
  'SIGQUIT',
  'SIGABRT',
  'SIGKILL',
  'SIGSEGV',
  'SIGPIPE',
  'SIGTERM',
  'SIGXFSZ',
];
const asPid1 = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc'];

describe.each(nativeBuilds)('how a command ends ($name)', ({ name, init }) => {
  async function run(script: string, wrapper: readonly string[] = []) {
    await using command = InitProcess.start(init, { script }, wrapper);
    return await command.end();
  }

  test('P15: every exit code is told as it is', async () => {
    const step = name === 'static' ? 1 : 15;
    const codes = Array.from({ length: 256 / step }, (_, index) => index * step);
    for (let at = 0; at < codes.length; at += 8) {
      const batch = codes.slice(at, at + 8);
      const ends = await Promise.all(batch.map((code) => run(`exit ${code}`)));
      expect(ends.map(({ code }) => code)).toEqual(batch);
      expect(ends.every(({ signal, cause }) => signal === 0 && cause === 0)).toBe(true);
    }
  });

  test('death by a signal is told as that signal', async () => {
    const numbers = constants.signals as Readonly<Record<string, number>>;
    for (const signal of deadly) {
      const number = numbers[signal];
      expect(await run(`ulimit -c 0; kill -${number} $$`)).toMatchObject({
        code: 0,
        signal: number,
        cause: 0,
      });
    }
  });

  test('what it used is told, with all that it started', async () => {
    const hungry = 'Buffer.alloc(50_000_000, 1); while (process.cpuUsage().user < 150_000);';
    const usage = async (script: string) => {
      await using command = InitProcess.start(init, { script });
      await command.end();
      const end = parseInitEnd(command.inbox.frames.at(-1)!, []);
      return end?.type === 'exit' ? end.usage : undefined;
    };
    const idle = await usage('sleep 0.3');
    const busy = await usage(`setsid '${process.execPath}' -e '${hungry}' & wait`);
    expect(idle?.userMs).toBeLessThan(100);
    expect(idle?.maxResidentKib).toBeLessThan(20_000);
    expect(busy?.userMs).toBeGreaterThan(100);
    expect(busy?.maxResidentKib).toBeGreaterThan(50_000);
  });

  test('exits as the command did, and with 125 if the end was not its own', async () => {
    const status = async (script: string, more: { runMs?: number } = {}) => {
      await using command = InitProcess.start(init, { script, ...more });
      await command.end();
      return await command.exited();
    };
    expect(await status('exit 7')).toBe(7);
    expect(await status('kill -9 $$')).toBe(137);
    expect(await status('sleep 60', { runMs: 50 })).toBe(125);
    await using abandoned = InitProcess.start(init, { script: 'sleep 60' });
    await abandoned.inbox.first(FrameType.started);
    abandoned.hangUp();
    expect(await abandoned.exited()).toBe(125);
  });

  test.runIf(asRoot)('the same as PID 1 of a container', async () => {
    expect(await run('echo $PPID; exit 42', asPid1)).toMatchObject({ code: 42, stdout: '1\n' });
    expect(await run('kill -9 $$', asPid1)).toMatchObject({ code: 0, signal: 9 });
  });

  test('kills what the command leaves behind, also what left its group and session, and tells its output', async () => {
    const marker = `3${Date.now()}`;
    const script = `setsid sh -c 'echo left behind; (sleep ${marker} &) & exec sleep ${marker}' & sleep 0.2; exit 5`;
    expect(await run(script)).toMatchObject({ code: 5, stdout: 'left behind\n' });
    expect(processesWith(marker)).toEqual([]);
  });

  test.runIf(asRoot)('kills what is left behind as PID 1', async () => {
    const marker = `4${Date.now()}`;
    const script = `setsid setsid sleep ${marker} & trap '' TERM HUP; (trap '' TERM; sleep ${marker}) & sleep 0.2; exit 6`;
    expect(await run(script, asPid1)).toMatchObject({ code: 6 });
    expect(processesWith(marker)).toEqual([]);
  });

  test.runIf(asRoot).each([
    ['is silent', 'sleep 60'],
    ['writes on', 'timeout 60 yes'],
  ])(
    'A-448 P24: what KILL does not reach and %s does not keep its command from its end',
    async (_how, left) => {
      const folder = mkdtempSync(join(tmpdir(), 'clawrden-survivor-'));
      onTestFinished(() => rmSync(folder, { recursive: true }));
      const asOther = join(folder, 'as-other');
      copyFileSync(execFileSync('which', ['setpriv']).toString().trim(), asOther);
      chmodSync(folder, 0o755);
      chmodSync(asOther, 0o4755);
      const become = ['setpriv', '--reuid=1000', '--regid=1000', '--clear-groups'];
      const script = `${asOther} --reuid 0 ${left} & echo "left $!"; sleep 0.5; exit 3`;
      const { stdout, ...end } = await run(script, become);
      const [, pid] = /left (\d+)\n/.exec(stdout) ?? [];
      // One that writes may have died of its pipe.
      spawnSync('kill', ['-KILL', `${pid}`]);
      expect(end).toMatchObject({ code: 3, cause: 0 });
    },
  );

  test('P24: the end of its stdin kills everything at once', async () => {
    const marker = `5${Date.now()}`;
    const script = `trap '' TERM HUP; setsid setsid sleep ${marker} & sleep ${marker} & echo up; wait`;
    await using command = InitProcess.start(init, { script });
    await command.inbox.first(FrameType.stdout);
    expect(processesWith(marker).length).toBeGreaterThan(1);
    command.hangUp();
    await command.exited();
    await eventually(() => processesWith(marker).length === 0, 'every process gone', 3000);
    expect(command.inbox.frames.some(({ type }) => type === FrameType.exit)).toBe(false);
  });

  test('a gateway that stops reading and goes away is noticed too', async () => {
    const marker = `6${Date.now()}`;
    await using command = InitProcess.start(init, { script: `sleep ${marker} & yes ${marker}` });
    command.child.stdout?.pause();
    await eventually(() => processesWith(marker).length > 1, 'the tool started');
    command.child.stdout?.destroy();
    await command.exited();
    await eventually(() => processesWith(marker).length === 0, 'every process gone', 3000);
  });

  test('the tool dies with an init that is killed', async () => {
    const marker = `7${Date.now()}`;
    await using command = InitProcess.start(init, { argv: ['sleep', marker] });
    await eventually(() => processesWith(marker).length === 1, 'the tool started');
    command.child.kill('SIGKILL');
    await eventually(() => processesWith(marker).length === 0, 'the tool gone', 3000);
  });

  test('nobody can end it by a signal that may be caught', async () => {
    const script = `for s in 1 2 3 10 12 13 14 15 20 21 22; do kill -$s $PPID; done; echo alive ${randomUUID()}; exit 3`;
    expect(await run(script)).toMatchObject({ code: 3, stdout: expect.stringContaining('alive') });
  });
});
