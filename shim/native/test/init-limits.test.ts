import { setTimeout as sleep } from 'node:timers/promises';
import { describe, test } from 'vitest';
import { FrameType } from '../../../src/wire/frames.ts';
import { InitProcess } from './init-process.ts';
import { nativeBuilds } from './native-builds.ts';
import { eventually, processesWith } from './process-table.ts';

const cause = { own: 0, run: 1, idle: 2, output: 3, cancel: 4 };

describe.concurrent.each(nativeBuilds)('what ends a command ($name)', ({ init }) => {
  async function timed(plan: Parameters<typeof InitProcess.start>[1]) {
    const before = performance.now();
    await using command = InitProcess.start(init, plan);
    return { ...(await command.end()), ms: performance.now() - before };
  }

  test('the run timeout: TERM first', async ({ expect }) => {
    const end = await timed({
      script: 'trap "echo bye; exit 7" TERM; while :; do sleep 0.02; done',
      runMs: 300,
    });
    expect(end).toMatchObject({ code: 7, signal: 0, cause: cause.run, stdout: 'bye\n' });
    expect(end.ms).toBeGreaterThan(290);
    expect(end.ms).toBeLessThan(1500);
  });

  test('the run timeout: KILL after 2 s for all who do not listen', async ({ expect }) => {
    const marker = `91${Date.now()}${Math.random()}`;
    const script = `trap '' TERM; setsid sleep ${marker} & while :; do sleep 0.1; done`;
    const end = await timed({ script, runMs: 200 });
    expect(end).toMatchObject({ signal: 9, cause: cause.run });
    expect(end.ms).toBeGreaterThan(2190);
    expect(end.ms).toBeLessThan(3500);
    expect(processesWith(marker)).toEqual([]);
  });

  test('a tool that ends in time is not touched by the timeout', async ({ expect }) => {
    expect(await timed({ script: 'sleep 0.1', runMs: 5000 })).toMatchObject({ code: 0, cause: cause.own });
  });

  test('the idle timeout, which every byte of either direction puts off', async ({ expect }) => {
    await using command = InitProcess.start(init, {
      script: 'for i in 1 2 3 4 5; do sleep 0.2; echo $i; done; exec sleep 60',
      stdio: ['pipe', 'pipe', 'pipe'],
      idleMs: 600,
    });
    await command.inbox.until(() => command.inbox.bytes(FrameType.stdout).includes('5'));
    await sleep(400);
    await command.sendStdin(Buffer.from('x'));
    await sleep(400);
    expect(command.child.exitCode).toBe(null);
    expect(await command.end()).toMatchObject({ signal: 15, cause: cause.idle });
  });

  test('the output limit, to the byte', async ({ expect }) => {
    await using command = InitProcess.start(init, { script: 'trap "" TERM; yes', outputBytes: 123_457 });
    expect(await command.end()).toMatchObject({ signal: 9, cause: cause.output });
    expect(command.inbox.bytes(FrameType.stdout).length).toBe(123_457);
  });

  test('one byte over the limit is over it', async ({ expect }) => {
    expect(await timed({ script: 'printf 1234567890; sleep 60', outputBytes: 9 })).toMatchObject({
      signal: 9,
      cause: cause.output,
      stdout: '123456789',
    });
  });

  test('A-379: what a tool left in its pipe is held to the limit, too, if the tool ended before it was read', async ({
    expect,
  }) => {
    const marker = `95${Date.now()}${Math.random()}`;
    const argv = ['sh', '-c', 'sleep 0.5; printf 1234567890', marker];
    await using command = InitProcess.start(init, { argv, outputBytes: 9 });
    await eventually(() => processesWith(marker).length > 0, 'the tool started');
    command.child.kill('SIGSTOP');
    await eventually(() => processesWith(marker).length === 0, 'the tool gone');
    command.child.kill('SIGCONT');
    expect(await command.end()).toMatchObject({ cause: cause.output, stdout: '123456789' });
  });

  test('output that fills the limit exactly is no end', async ({ expect }) => {
    const end = await timed({ script: 'printf 12345; printf 67890 >&2', outputBytes: 10 });
    expect(end).toMatchObject({ code: 0, cause: cause.own, stdout: '12345', stderr: '67890' });
  });

  test('the size of a file', async ({ expect }) => {
    const script = 'f=$(mktemp); trap "rm $f" EXIT; head -c 100000 /dev/zero >$f; wc -c <$f';
    expect(await timed({ argv: ['bash', '-c', script], fileBytes: 5000 })).toMatchObject({
      stdout: '5000\n',
    });
  });

  test('P24: cancel asks, also a tool that is stopped, and kills after 2 s', async ({ expect }) => {
    await using polite = InitProcess.start(init, {
      script: 'trap "exit 3" TERM; echo up; kill -STOP $$; exit 4',
    });
    await polite.inbox.first(FrameType.stopped);
    polite.send(FrameType.cancel);
    expect(await polite.end()).toMatchObject({ code: 3, cause: cause.cancel });
    await using deaf = InitProcess.start(init, {
      script: 'trap "" TERM; echo up; while :; do sleep 0.1; done',
    });
    await deaf.inbox.first(FrameType.stdout);
    const before = performance.now();
    deaf.send(FrameType.cancel);
    expect(await deaf.end()).toMatchObject({ signal: 9, cause: cause.cancel });
    expect(performance.now() - before).toBeLessThan(3000);
  });

  test('limits hold while nobody reads the output, and undelivered output ends 10 s after the run timeout', {
    timeout: 30_000,
  }, async ({ expect }) => {
    const marker = `93${Date.now()}${Math.random()}`;
    await using command = InitProcess.start(init, { argv: ['yes', marker], runMs: 500 });
    command.child.stdout?.pause();
    const before = performance.now();
    await eventually(() => processesWith(marker).length > 0, 'the tool started');
    await eventually(() => processesWith(marker).length === 0, 'the tool gone', 4000);
    expect(command.child.exitCode).toBe(null);
    await command.exited();
    const ms = performance.now() - before;
    expect(ms).toBeGreaterThan(10_400);
    expect(ms).toBeLessThan(12_500);
  });

  test('a cancel is obeyed while nobody reads the output', async ({ expect }) => {
    const marker = `94${Date.now()}${Math.random()}`;
    await using command = InitProcess.start(init, { argv: ['yes', marker] });
    command.child.stdout?.pause();
    await eventually(() => processesWith(marker).length > 0, 'the tool started');
    await sleep(100);
    command.send(FrameType.cancel);
    await eventually(() => processesWith(marker).length === 0, 'the tool gone', 3000);
    command.child.stdout?.resume();
    expect(await command.end()).toMatchObject({ signal: 15, cause: cause.cancel });
  });
});
