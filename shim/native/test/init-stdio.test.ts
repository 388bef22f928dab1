import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { InitPlan } from '../../../src/init-client/plan-encoding.ts';
import { FrameType } from '../../../src/wire/frames.ts';
import { InitProcess } from './init-process.ts';
import { nativeBuilds } from './native-builds.ts';
import { eventually, processesWith } from './process-table.ts';

let directory: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'clawrden-init-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

describe.each(nativeBuilds)('what a command writes ($name)', ({ init }) => {
  async function run(plan: Partial<InitPlan> & { readonly script?: string }) {
    await using command = InitProcess.start(init, plan);
    return await command.end();
  }

  test('P15: every byte arrives, apart by stdout and stderr', async () => {
    const [out, err] = [randomBytes(3_000_001), randomBytes(700_001)];
    writeFileSync(join(directory, 'out'), out);
    writeFileSync(join(directory, 'err'), err);
    await using command = InitProcess.start(init, {
      cwd: directory,
      script: 'cat err >&2 & cat out; wait',
    });
    await command.end();
    const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
    expect(digest(command.inbox.bytes(FrameType.stdout))).toBe(digest(out));
    expect(digest(command.inbox.bytes(FrameType.stderr))).toBe(digest(err));
  });

  test('one pipe for both keeps their order', async () => {
    const script = 'for i in $(seq 300); do echo o$i; echo e$i >&2; done';
    const { stdout, stderr } = await run({ script, stdio: ['null', 'pipe', 'same'] });
    const expected = Array.from({ length: 300 }, (_, index) => `o${index + 1}\ne${index + 1}\n`).join('');
    expect(stdout).toBe(expected);
    expect(stderr).toBe('');
  });

  test('the tool sees each descriptor as it was asked for, and no other', async () => {
    const seen = async (stdio: InitPlan['stdio']) => {
      const marker = `95${Date.now()}${Math.random()}`;
      await using _command = InitProcess.start(init, { argv: ['sleep', marker], stdio });
      await eventually(() => processesWith(marker).length === 1, 'the tool started');
      const [pid] = processesWith(marker);
      // An exec shows its new name shortly before it closes descriptors.
      await sleep(50);
      return Object.fromEntries(
        readdirSync(`/proc/${pid}/fd`).map((fd) => [fd, readlinkSync(`/proc/${pid}/fd/${fd}`)]),
      );
    };
    const pipe = expect.stringMatching(/^pipe:/);
    const pipes = await seen(['pipe', 'pipe', 'pipe']);
    expect(pipes).toEqual({ 0: pipe, 1: pipe, 2: pipe });
    expect(new Set(Object.values(pipes)).size).toBe(3);
    expect(await seen(['null', 'null', 'null'])).toEqual({ 0: '/dev/null', 1: '/dev/null', 2: '/dev/null' });
    expect(await seen(['closed', 'closed', 'closed'])).toEqual({});
    expect(await seen(['closed', 'pipe', 'closed'])).toEqual({ 1: pipe });
    const same = await seen(['pipe', 'pipe', 'same']);
    expect(same[1]).toBe(same[2]);
    expect(same[0]).not.toBe(same[1]);
  });

  test('its pipes block as pipes do', async () => {
    const { stdout } = await run({
      script: 'grep flags /proc/self/fdinfo/1',
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const flags = Number.parseInt(/flags:\s+(\d+)/.exec(stdout)?.[1] ?? '', 8);
    expect(flags & 0o4000).toBe(0);
  });

  test('A-59: a reader that stalls stops the tool, and nothing piles up', async () => {
    const marker = `8${Date.now()}`;
    await using command = InitProcess.start(init, { script: `head -c 50000000 /dev/zero; : ${marker}` });
    command.child.stdout?.pause();
    await eventually(() => processesWith(marker).length > 0, 'the tool started');
    await sleep(300);
    const resident = Number(
      /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${command.child.pid}/status`, 'utf8'))?.[1],
    );
    expect(resident).toBeLessThan(40_000);
    expect(processesWith(marker).length).toBeGreaterThan(0);
    command.child.stdout?.resume();
    await command.end();
    expect(command.inbox.bytes(FrameType.stdout).length).toBe(50_000_000);
  });

  test('a reader of stdout that is gone gives the tool a SIGPIPE', async () => {
    await using command = InitProcess.start(init, { argv: ['yes'] });
    await command.inbox.first(FrameType.stdout);
    command.send(FrameType.closed, Uint8Array.of(1));
    expect(await command.end()).toMatchObject({ code: 0, signal: 13, cause: 0 });
  });

  test('a reader of stderr that is gone leaves stdout alone', async () => {
    const script = 'echo a; read x; sh -c "yes >&2"; echo status $?';
    await using command = InitProcess.start(init, { script, stdio: ['pipe', 'pipe', 'pipe'] });
    await command.inbox.first(FrameType.stdout);
    command.send(FrameType.closed, Uint8Array.of(2));
    await command.sendStdin(Buffer.from('\n'));
    expect(await command.end()).toMatchObject({ code: 0, stdout: 'a\nstatus 141\n' });
  });
});
