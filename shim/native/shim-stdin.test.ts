import { createHash, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { FrameType } from '../../src/frames.ts';
import type { RelayConnection } from './fake-relay.ts';
import { nativeBuilds } from './native-builds.ts';
import { eventually, ticksOf } from './process-table.ts';
import { ShimBench, type ShimRun } from './shim-process.ts';

const window = 262_144;
const lines = Array.from({ length: 50_000 }, (_, index) => `line ${index}\n`).join('');
const sha = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex');

/** Resolves when nothing more is on the way. */
async function quiet(relay: RelayConnection): Promise<void> {
  for (let seen = -1; seen !== relay.stdin.length; await sleep(100)) seen = relay.stdin.length;
}

/** Takes stdin to its end as an init does whose tool reads all of it. */
async function readOn(relay: RelayConnection): Promise<void> {
  let granted = window;
  relay.credit(granted);
  while (!relay.stdinEnded) {
    await relay.inbox.until(() => relay.stdinEnded || relay.stdin.length > granted - window);
    const more = relay.stdin.length - (granted - window);
    relay.credit(more);
    granted += more;
  }
}

describe.each(nativeBuilds)('what the shim reads ($name)', (build) => {
  async function started(
    script: string,
    use: (run: ShimRun, relay: RelayConnection) => Promise<void>,
    input?: string | Uint8Array,
  ): Promise<void> {
    await using bench = new ShimBench(build);
    await using relay = await bench.relay();
    writeFileSync(join(bench.directory, 'lines'), lines);
    writeFileSync(join(bench.directory, 'empty'), '');
    const run = bench.script(script);
    if (input !== undefined) run.child.stdin?.end(input);
    const connection = await relay.next();
    await connection.answer(0);
    await use(run, connection);
    connection.socket.destroy();
  }

  /** What follows the shim in `script` gets what the tool left. */
  const inputs = {
    'a file': '{ $T; cat; } < lines',
    'a pipe': 'cat lines | { $T; cat; }',
    'a full pipe': '{ cat lines; } | { sleep 0.1; $T; cat; }',
    'a pipe of small writes': 'dd if=lines bs=100 status=none | { $T; cat; }',
    'a socket': '$T; cat',
  };

  describe.each(Object.entries(inputs))('from %s', (name, script) => {
    const input = name === 'a socket' ? lines : undefined;

    test('nothing without credit, and all of it is left', async () => {
      await started(
        script,
        async (run, relay) => {
          await sleep(30);
          expect(relay.inbox.frames).toEqual([]);
          relay.exit(0);
          expect(sha((await run.end()).stdout)).toBe(sha(lines));
        },
        input,
      );
    });

    test.each([0, 1, 7, 30_000, 65_536])('gives back all but the %i bytes that were read', async (read) => {
      await started(
        script,
        async (run, relay) => {
          relay.credit(window);
          await relay.inbox.until(() => relay.stdin.length > 60_000);
          await quiet(relay);
          relay.unread(relay.stdin.length - read);
          relay.exit(0);
          expect(sha((await run.end()).stdout)).toBe(sha(lines.slice(read)));
        },
        input,
      );
    });

    test('goes by the credits where they are exact, whatever is still on the way', async () => {
      await started(
        script,
        async (run, relay) => {
          relay.credit(window);
          await relay.inbox.until(() => relay.stdin.length > 60_000);
          relay.credit(12_345);
          relay.credit(0);
          relay.unread(3);
          relay.exit(0);
          expect(sha((await run.end()).stdout)).toBe(sha(lines.slice(12_345)));
        },
        input,
      );
    });

    test('sends every byte and the end as the tool reads on', async () => {
      await started(
        script,
        async (run, relay) => {
          await readOn(relay);
          expect(sha(relay.stdin)).toBe(sha(lines));
          relay.unread(0);
          relay.exit(0);
          expect((await run.end()).stdout).toBe('');
        },
        input,
      );
    });

    test('never more than its credit', async () => {
      await started(
        script,
        async (run, relay) => {
          relay.credit(1000);
          await relay.inbox.until(() => relay.stdin.length >= 1000);
          await sleep(30);
          expect(relay.stdin.toString()).toBe(lines.slice(0, 1000));
          relay.credit(1);
          await relay.inbox.until(() => relay.stdin.length === 1001);
          relay.unread(1001);
          relay.exit(0);
          expect(sha((await run.end()).stdout)).toBe(sha(lines));
        },
        input,
      );
    });

    test('gives back what is not known to be read when the relay is lost', async () => {
      await started(
        script,
        async (run, relay) => {
          relay.credit(window);
          relay.credit(100);
          await relay.inbox.until(() => relay.stdin.length > 60_000);
          relay.socket.end();
          expect(sha((await run.end()).stdout)).toBe(sha(lines.slice(100)));
        },
        input,
      );
    });
  });

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

  test('a slow producer is waited for, byte by byte', async () => {
    await started(
      '{ for i in 1 2 3 4 5; do echo $i; sleep 0.05; done; } | { $T; cat; }',
      async (run, relay) => {
        relay.credit(window);
        await relay.inbox.until(() => relay.stdinEnded);
        expect(relay.inbox.frames.map(({ payload }) => payload.toString())).toEqual([
          '1\n',
          '2\n',
          '3\n',
          '4\n',
          '5\n',
          '',
        ]);
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
