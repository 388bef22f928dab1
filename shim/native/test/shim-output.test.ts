import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { FrameType } from '../../../src/wire/frames.ts';
import { nativeBuilds } from './native-builds.ts';
import { eventually } from './process-table.ts';
import { withShim } from './shim-process.ts';

const sha = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex');

describe.each(nativeBuilds)('what the shim writes ($name)', (build) => {
  const started = (script: string, use: Parameters<typeof withShim>[2]) => withShim(build, script, use);

  test.each(['exec $T', '$T | cat; exit ${PIPESTATUS[0]}', '$T > >(cat); code=$?; sleep 0.1; exit $code'])(
    'P15: every byte, in frames of every size: %s',
    async (script) => {
      await started(script, async (run, relay) => {
        const sizes = [0, 1, 4096, 4097, 65_531, 65_536, 300_000, 1_048_576, 7];
        const sent = sizes.map((size) => randomBytes(size));
        for (const bytes of sent) {
          relay.send(FrameType.stdout, bytes);
          relay.send(FrameType.stderr, Buffer.from('e'));
        }
        relay.exit(3);
        const { code, stdout, stderr } = await run.end();
        expect(code).toBe(3);
        expect(sha(Buffer.from(stdout, 'latin1'))).toBe(sha(Buffer.concat(sent)));
        expect(stderr).toBe('e'.repeat(sizes.length));
      });
    },
  );

  test('to a file, at its end if it is appended to', async () => {
    await started('echo before > out; exec $T >> out 2>&1', async (run, relay, bench) => {
      expect((await relay.request()).stdio).toEqual(['pipe', 'file', '=1']);
      relay.send(FrameType.stdout, Buffer.from('line\n'));
      relay.send(FrameType.stderr, Buffer.from('error\n'));
      relay.exit(0);
      await run.end();
      expect(readFileSync(join(bench.directory, 'out'), 'utf8')).toBe('before\nline\nerror\n');
    });
  });

  test('never makes a descriptor of its caller non-blocking', async () => {
    await started(
      '{ $T; } | { sleep 0.2; cat; }; for fd in 0 1 2; do grep flags /proc/self/fdinfo/$fd; done',
      async (run, relay) => {
        relay.credit(262_144);
        relay.send(FrameType.stdout, Buffer.alloc(200_000));
        await sleep(50);
        relay.exit(0);
        const { stdout } = await run.end();
        const flags = [...stdout.matchAll(/flags:\s+(\d+)/g)].map(
          ([, octal = '']) => Number.parseInt(octal, 8) & 0o4000,
        );
        expect(flags).toEqual([0, 0, 0]);
      },
    );
  });

  test('A-59: a reader that stalls is not run over, and nothing piles up', async () => {
    await started('exec $T', async (run, relay) => {
      run.child.stdout?.pause();
      const frame = Buffer.alloc(65_536, 'x');
      let sent = 0;
      const flow = async () => {
        for (; sent < 800; sent++) {
          relay.send(FrameType.stdout, frame);
          if (relay.socket.writableNeedDrain)
            await new Promise((resolve) => relay.socket.once('drain', resolve));
        }
        relay.exit(0);
      };
      const flowing = flow();
      await sleep(300);
      expect(sent).toBeLessThan(50);
      const status = readFileSync(`/proc/${run.pid}/status`, 'utf8');
      expect(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1])).toBeLessThan(
        build.name === 'static' ? 2000 : 40_000,
      );
      run.child.stdout?.resume();
      await flowing;
      expect((await run.end()).stdout.length).toBe(800 * 65_536);
    });
  });

  test('a reader that goes away is told at the next byte', async () => {
    await started('$T | head -c 1; echo ":${PIPESTATUS[0]}"', async (run, relay) => {
      relay.send(FrameType.stdout, Buffer.from('abc'));
      const frame = await relay.inbox.first(FrameType.closed);
      expect(frame.payload).toEqual(Buffer.of(1));
      relay.send(FrameType.stdout, Buffer.alloc(500_000));
      relay.exit(0, 13);
      expect((await run.end()).stdout).toBe('a:141\n');
    });
  });

  test('a reader that goes away is told while nothing is written, each one once', async () => {
    await started('{ $T 2>&3 | sleep 0.1; } 3> >(sleep 0.3); wait', async (_run, relay) => {
      expect((await relay.inbox.first(FrameType.closed)).payload).toEqual(Buffer.of(1));
      await relay.inbox.until(() => relay.inbox.frames.length === 2);
      await sleep(100);
      expect(relay.inbox.frames.map(({ type, payload }) => [type, payload[0]])).toEqual([
        [FrameType.closed, 1],
        [FrameType.closed, 2],
      ]);
      relay.exit(0);
    });
  });

  test('a reader behind a socket that goes away is told too', async () => {
    await started('exec $T', async (run, relay) => {
      run.child.stdout?.destroy();
      expect((await relay.inbox.first(FrameType.closed)).payload).toEqual(Buffer.of(1));
      relay.send(FrameType.stdout, Buffer.alloc(500_000));
      relay.send(FrameType.stderr, Buffer.from('still here'));
      await eventually(() => run.stderr === 'still here', 'stderr');
      relay.exit(5);
    });
  });

  test('output for a descriptor that was closed goes nowhere', async () => {
    await started('exec $T >&-', async (run, relay) => {
      relay.send(FrameType.stdout, Buffer.from('x'));
      await sleep(50);
      expect(relay.inbox.frames).toEqual([]);
      relay.exit(4);
      expect(await run.end()).toMatchObject({ code: 4, stdout: '' });
    });
  });

  test.each([
    [
      'exec $T >/dev/full',
      [0, 0],
      { code: 125, stderr: 'clawrden: output-failed: stdout could not be written: ' },
    ],
    [
      'exec $T >/dev/full',
      [0, 13],
      { code: 125, stderr: 'clawrden: output-failed: stdout could not be written: ' },
    ],
    ['exec $T 2>/dev/full', [0, 0], { code: 125, stderr: '' }],
    // The tool's own end says it already.
    ['exec $T >/dev/full', [3, 0], { code: 3, stderr: '' }],
  ] as const)(
    'A-363: output that its caller’s device does not take is no success: %s, %s',
    async (script, ended, end) => {
      await started(script, async (run, relay) => {
        relay.send(script.includes('2>') ? FrameType.stderr : FrameType.stdout, Buffer.from('lost'));
        relay.exit(ended[0], ended[1]);
        const { code, stderr } = await run.end();
        expect({ code, stderr: stderr.slice(0, end.stderr.length) }).toEqual(end);
        expect(stderr.split('\n')).toHaveLength(end.stderr === '' ? 1 : 2);
      });
    },
  );

  test('an exit frame behind output that stalls comes after it', async () => {
    await started('exec $T', async (run, relay) => {
      run.child.stdout?.pause();
      relay.send(FrameType.stdout, Buffer.alloc(1_000_000, 'x'));
      relay.exit(7);
      await sleep(200);
      expect(run.child.exitCode).toBe(null);
      run.child.stdout?.resume();
      const { code, stdout } = await run.end();
      expect([code, stdout.length]).toEqual([7, 1_000_000]);
    });
  });
});
