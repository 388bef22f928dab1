import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { FrameType } from '../../../src/wire/frames.ts';
import { nativeBuilds } from './native-builds.ts';
import { eventually, ticksOf } from './process-table.ts';
import { withShim } from './shim-process.ts';
import { lines, quiet, readOn, sha, window } from './stdin-helpers.ts';

describe.each(nativeBuilds)('what the shim reads ($name)', (build) => {
  const started = (script: string, use: Parameters<typeof withShim>[2], input?: string | Uint8Array) =>
    withShim(build, script, use, { input, files: { lines, empty: '' } });

  test('a pipe is enlarged, so that a relay that tells of no reads can still use its whole credit', async () => {
    await started('cat lines | $T', async (_run, relay) => {
      relay.credit(window);
      await relay.inbox.until(() => relay.stdin.length === window);
      relay.exit(0);
    });
  });

  test('input that nobody reads yet costs no processor time', async () => {
    for (const script of [
      '{ cat lines; sleep 2; } | sh -c "echo \\$\\$ >&2; exec $T"',
      '{ echo; sleep 2; } | sh -c "echo \\$\\$ >&2; exec $T"',
      'sh -c "echo \\$\\$ >&2; exec $T"',
    ]) {
      await started(script, async (run, relay) => {
        run.child.stdin?.write(lines);
        relay.credit(window);
        await relay.inbox.until(() => relay.stdin.length > 0);
        await quiet(relay);
        const before = ticksOf(Number(run.stderr));
        await sleep(500);
        expect(ticksOf(Number(run.stderr)) - before).toBeLessThan(10);
        relay.exit(0);
      });
    }
  });

  test('a slow producer is waited for, and what it writes is sent as it comes', async () => {
    await started(
      '{ for i in 1 2 3 4 5; do echo $i; sleep 0.1; done; } | { $T; cat; }',
      async (run, relay) => {
        relay.credit(window);
        await relay.inbox.until(() => relay.stdinEnded);
        const sent = relay.inbox.frames.map(({ payload }) => payload.toString());
        expect([sent.join(''), sent.at(-1)]).toEqual(['1\n2\n3\n4\n5\n', '']);
        // Two writes may come at once if the machine is busy, all of them only if nothing is sent before the end.
        expect(sent.length).toBeGreaterThan(2);
        relay.unread(4);
        relay.exit(0);
        expect((await run.end()).stdout).toBe('4\n5\n');
      },
    );
  });

  test('the end of each kind of empty input comes once there is credit', async () => {
    for (const [script, input] of [
      ['$T < empty', undefined],
      ['true | $T', undefined],
      ['$T', ''],
    ] as const) {
      await started(
        script,
        async (_run, relay) => {
          await sleep(30);
          expect(relay.inbox.frames).toEqual([]);
          relay.credit(window);
          await relay.inbox.until(() => relay.stdinEnded);
          expect(relay.inbox.frames.length).toBe(1);
          relay.exit(0);
        },
        input,
      );
    }
  });

  test('/dev/null and a closed stdin send nothing at all', async () => {
    for (const script of ['$T </dev/null', '$T <&-']) {
      await started(script, async (run, relay) => {
        relay.credit(window);
        await sleep(30);
        relay.unread(0);
        relay.exit(3);
        expect(await run.end()).toMatchObject({ code: 3 });
        expect(relay.inbox.frames).toEqual([]);
      });
    }
  });

  test('a file is read from where it stands', async () => {
    await started('{ read -r first; $T; cat; } < lines', async (run, relay) => {
      relay.credit(window);
      await relay.inbox.until(() => relay.stdin.length === window);
      expect(sha(relay.stdin)).toBe(sha(lines.slice(7, 7 + window)));
      relay.unread(window - 7);
      relay.exit(0);
      expect(sha((await run.end()).stdout)).toBe(sha(lines.slice(14)));
    });
  });

  test('an endless device stops at the credit', async () => {
    await started('$T </dev/zero', async (_run, relay) => {
      relay.credit(100_000);
      await relay.inbox.until(() => relay.stdin.length === 100_000);
      await sleep(30);
      expect(relay.stdin.length).toBe(100_000);
      relay.exit(0);
    });
  });

  test('a tool that reads no more gives the producer its SIGPIPE, and what it read is gone', async () => {
    await started('{ yes; echo $? >&2; } | $T', async (run, relay) => {
      relay.credit(window);
      await relay.inbox.until(() => relay.stdin.length > 1000);
      relay.send(FrameType.closed, Buffer.of(0));
      await eventually(() => run.stderr === '141\n', 'the producer gone');
      expect(run.child.exitCode).toBe(null);
      relay.unread(5);
      relay.exit(0);
    });
    await started('cat lines | { $T; cat; }', async (run, relay) => {
      relay.credit(window);
      await relay.inbox.until(() => relay.stdin.length > 1000);
      relay.credit(7);
      relay.send(FrameType.closed, Buffer.of(0));
      relay.unread(relay.stdin.length);
      relay.exit(0);
      expect(sha((await run.end()).stdout)).toBe(sha(lines.slice(7)));
    });
  });

  test('signals do not wait behind it', async () => {
    await started('exec $T </dev/zero', async (run, relay) => {
      relay.socket.pause();
      relay.credit(10_000_000);
      await sleep(50);
      run.child.kill('SIGUSR1');
      await sleep(50);
      relay.socket.resume();
      const frame = await relay.inbox.first(FrameType.signal);
      expect(frame.payload).toEqual(Buffer.of(10));
      relay.exit(0);
    });
  });

  test('binary input arrives as it is', async () => {
    const bytes = randomBytes(200_000);
    await started(
      '$T',
      async (_run, relay) => {
        await readOn(relay);
        expect(sha(relay.stdin)).toBe(sha(bytes));
        relay.exit(0);
      },
      bytes,
    );
  });
});
