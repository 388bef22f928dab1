import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { FrameType } from '../../../src/wire/frames.ts';
import { nativeBuilds } from './native-builds.ts';
import { eventually, processState } from './process-table.ts';
import { withShim } from './shim-process.ts';

const ending = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;
const forwarded = [...ending, 'SIGUSR1', 'SIGUSR2', 'SIGCONT', 'SIGTSTP'] as const;

describe.each(nativeBuilds)('signals for the shim ($name)', (build) => {
  const started = (use: Parameters<typeof withShim>[2], script = 'exec $T') =>
    withShim(build, `ulimit -c 0; ${script}`, use, { acks: [] });

  test.each(ending)('%s before the answer: a cancel, and death by it', async (signal) => {
    for (const acks of [[], [2]]) {
      await started(async (run, relay) => {
        relay.write(Uint8Array.from(acks));
        await sleep(30);
        run.child.kill(signal);
        expect(await run.end()).toMatchObject({ code: null, signal, stderr: '' });
        await eventually(() => relay.inbox.ended, 'the end of the stream');
        expect(relay.inbox.frames.map(({ type }) => type)).toEqual([FrameType.cancel]);
      });
    }
  });

  test('TSTP before the answer stops the shim only', async () => {
    // A job of a shell: alone in an orphaned group the process would not stop at all.
    await started(async (run, relay) => {
      relay.write(Uint8Array.of(2));
      await eventually(() => run.stdout.endsWith('\n'), 'the pid of the shim');
      const pid = Number(run.stdout);
      process.kill(pid, 'SIGTSTP');
      await eventually(() => processState(pid) === 'T', 'stopped');
      process.kill(pid, 'SIGCONT');
      relay.write(Uint8Array.of(0));
      relay.exit(6);
      await eventually(() => relay.inbox.ended, 'the end of the stream');
      expect(relay.inbox.frames).toEqual([]);
    }, 'set -m; $T & echo $!; sleep 60');
  });

  test.each(forwarded)('%s after the answer goes to the tool, and the shim waits', async (signal) => {
    await started(async (run, relay) => {
      relay.write(Uint8Array.of(0));
      await sleep(50);
      run.child.kill(signal);
      const frame = await relay.inbox.first(FrameType.signal);
      expect(frame.payload).toEqual(Buffer.of(constants.signals[signal]));
      await sleep(50);
      expect(run.child.exitCode ?? run.child.signalCode).toBe(null);
      relay.exit(9);
      expect(await run.end()).toMatchObject({ code: 9 });
    });
  });

  test('what its caller ignores is ignored, before and after', async () => {
    await started(async (run, relay) => {
      expect((await relay.request()).ignored).toEqual([1, 2]);
      run.child.kill('SIGHUP');
      await sleep(50);
      relay.write(Uint8Array.of(0));
      await sleep(50);
      run.child.kill('SIGINT');
      run.child.kill('SIGUSR1');
      await relay.inbox.first(FrameType.signal);
      relay.exit(0);
      await run.end();
      expect(relay.inbox.frames.map(({ payload }) => payload[0])).toEqual([10]);
    }, 'trap "" HUP INT; exec $T');
  });

  test('a tool that stops takes the shim with it, and goes on with it', async () => {
    await started(async (run, relay) => {
      relay.write(Uint8Array.of(0));
      relay.send(FrameType.stopped, Uint8Array.of(19));
      await eventually(() => processState(run.pid) === 'T', 'stopped');
      expect(relay.inbox.frames).toEqual([]);
      run.child.kill('SIGCONT');
      const frame = await relay.inbox.first(FrameType.signal);
      expect(frame.payload).toEqual(Buffer.of(18));
      await sleep(50);
      expect(relay.inbox.frames.length).toBe(1);
      relay.exit(2);
      expect(await run.end()).toMatchObject({ code: 2 });
    });
  });

  test('in an orphaned group it goes on at once, as the kernel lets nobody stop there', async () => {
    await started(async (run, relay) => {
      relay.write(Uint8Array.of(0));
      relay.send(FrameType.stopped, Uint8Array.of(20));
      const frame = await relay.inbox.first(FrameType.signal);
      expect(frame.payload).toEqual(Buffer.of(18));
      expect(processState(run.pid)).not.toBe('T');
      relay.exit(0);
      await run.end();
    });
  });

  test('USR1 and USR2 before the answer kill it as they kill any program', async () => {
    await started(async (run, relay) => {
      run.child.kill('SIGUSR1');
      expect(await run.end()).toMatchObject({ signal: 'SIGUSR1' });
      await eventually(() => relay.inbox.ended, 'the end of the stream');
    });
  });

  test('P24: the end of the stream is all that a killed shim says', async () => {
    await started(async (run, relay) => {
      relay.write(Uint8Array.of(0));
      run.child.kill('SIGKILL');
      await eventually(() => relay.inbox.ended, 'the end of the stream', 1000);
      expect(relay.inbox.frames).toEqual([]);
    });
  });

  test('signals get through while a pipe stalls that the output goes into', async () => {
    await started(async (run, relay) => {
      relay.write(Uint8Array.of(0));
      for (let sent = 0; sent < 64; sent++) relay.send(FrameType.stdout, Buffer.alloc(32_768, 'x'));
      await sleep(100);
      process.kill(Number(run.stderr), 'SIGINT');
      const before = performance.now();
      await relay.inbox.first(FrameType.signal);
      expect(performance.now() - before).toBeLessThan(1000);
      relay.exit(0);
      expect((await run.end()).stdout.length).toBe(64 * 32_768);
    }, 'sh -c "echo \\$\\$ >&2; exec $T" | { sleep 2; cat; }');
  });

  test('signals get through while the output stalls', async () => {
    await started(async (run, relay) => {
      run.child.stdout?.pause();
      relay.write(Uint8Array.of(0));
      for (let sent = 0; sent < 64; sent++) relay.send(FrameType.stdout, Buffer.alloc(32_768, 'x'));
      await sleep(100);
      run.child.kill('SIGINT');
      const frame = await relay.inbox.first(FrameType.signal);
      expect(frame.payload).toEqual(Buffer.of(2));
      run.child.stdout?.resume();
      relay.exit(0, 2);
      expect((await run.end()).stdout.length).toBe(64 * 32_768);
    });
  });
});
