import { execFileSync } from 'node:child_process';
import { createServer } from 'node:net';
import { constants } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { encodeFrame, encodeFrameHeader, FrameType } from '../../../src/wire/frames.ts';
import { FakeRelay, type RelayConnection } from './fake-relay.ts';
import { nativeBuilds } from './native-builds.ts';
import { ShimBench, type ShimEnd } from './shim-process.ts';

const long = process.env.CLAWRDEN_LONG === '1';
const asRoot = process.geteuid?.() === 0;

describe.each(nativeBuilds)('how the shim ends ($name)', (build) => {
  /** One command against a relay that answers with `serve`. */
  async function against(serve: (relay: RelayConnection) => Promise<void> | void): Promise<ShimEnd> {
    await using bench = new ShimBench(build);
    await using relay = await bench.relay();
    const run = bench.tool();
    const connection = await relay.next();
    await connection.request();
    await serve(connection);
    const end = await run.end();
    connection.socket.destroy();
    return end;
  }

  test('P15: as the tool did, by code', async () => {
    for (const code of [0, 1, 2, 42, 124, 125, 126, 127, 128, 137, 255]) {
      const end = await against((relay) => {
        relay.write(Uint8Array.of(0));
        relay.exit(code);
      });
      expect(end).toEqual({ code, signal: null, stdout: '', stderr: '' });
    }
  });

  test('as the tool did, by signal, and without a core', async () => {
    for (const signal of [
      'SIGHUP',
      'SIGINT',
      'SIGQUIT',
      'SIGSEGV',
      'SIGABRT',
      'SIGPIPE',
      'SIGTERM',
      'SIGKILL',
    ] as const) {
      await using bench = new ShimBench(build);
      await using relay = await bench.relay();
      // bash says "(core dumped)" if there was a core dump.
      const run = bench.script('ulimit -c unlimited; $T; echo $?');
      const connection = await relay.next();
      await connection.answer(0);
      connection.exit(0, constants.signals[signal]);
      const { stdout, stderr } = await run.end();
      expect(stdout).toBe(`${128 + constants.signals[signal]}\n`);
      expect(stderr).not.toContain('core');
    }
  });

  test.runIf(asRoot)('with 128 + n where it is PID 1, which no signal of its own ends', async () => {
    await using bench = new ShimBench(build);
    await using relay = await bench.relay();
    const run = bench.script('exec unshare --pid --fork $T');
    const connection = await relay.next();
    await connection.answer(0);
    connection.exit(0, 15);
    expect(await run.end()).toMatchObject({ code: 143 });
  });

  test('a refusal: the line and 1', async () => {
    const end = await against((relay) => {
      relay.write(Uint8Array.of(1));
      relay.send(FrameType.stderr, Buffer.from('clawrden: denied-by-rule: no\n'));
      relay.exit(1);
    });
    expect(end).toEqual({ code: 1, signal: null, stdout: '', stderr: 'clawrden: denied-by-rule: no\n' });
  });

  test('a refusal that comes before the request was read to its end', async () => {
    await using bench = new ShimBench(build);
    await using relay = await bench.relay();
    const run = bench.tool(Array.from({ length: 9 }, () => 'x'.repeat(100_000)));
    const connection = await relay.next();
    connection.socket.pause();
    connection.write(Uint8Array.of(1));
    connection.send(FrameType.stderr, Buffer.from('clawrden: rate-limit: wait\n'));
    connection.exit(1);
    await sleep(20);
    connection.socket.destroy();
    expect(await run.end()).toEqual({
      code: 1,
      signal: null,
      stdout: '',
      stderr: 'clawrden: rate-limit: wait\n',
    });
  });

  test('pending, with notices that only a terminal sees, then either answer', async () => {
    for (const [ack, code] of [
      [0, 5],
      [1, 1],
    ] as const) {
      const end = await against(async (relay) => {
        relay.write(Uint8Array.of(2));
        await sleep(20);
        const notice = encodeFrame(FrameType.notice, Buffer.from('waiting for approval'));
        for (const byte of notice) relay.write(Uint8Array.of(byte));
        relay.write(Buffer.concat([notice, Buffer.of(ack)]));
        relay.exit(code);
      });
      expect(end).toEqual({ code, signal: null, stdout: '', stderr: '' });
    }
  });

  test.each([
    ['no ack at all', []],
    ['only pending', [2]],
    ['an ack and no exit', [0]],
    ['a refusal and no exit', [1]],
  ])('P23: a relay that closes after %s is lost: 125', async (_name, acks) => {
    const end = await against((relay) => {
      relay.write(Uint8Array.from(acks));
      relay.socket.end();
    });
    expect(end).toMatchObject({ code: 125, stderr: expect.stringMatching(/^clawrden: relay-lost: .*\n$/) });
  });

  test.each([
    ['an unknown ack', Buffer.of(4)],
    ['a second pending', Buffer.of(2, 2)],
    ['a frame for an ack', encodeFrame(FrameType.notice, Buffer.from('x'))],
    [
      'a frame over the limit',
      Buffer.concat([Buffer.of(0), encodeFrameHeader(FrameType.stdout, 1024 * 1024 + 1)]),
    ],
    ['an unknown frame', Buffer.concat([Buffer.of(0), encodeFrame(77)])],
    ['a frame of the other way', Buffer.concat([Buffer.of(0), encodeFrame(FrameType.signal, Buffer.of(2))])],
    ['an empty exit', Buffer.concat([Buffer.of(0), encodeFrame(FrameType.exit)])],
    ['a short credit', Buffer.concat([Buffer.of(0), encodeFrame(FrameType.credit, Buffer.alloc(3))])],
  ])('a relay that breaks the rules with %s is lost: 125', async (_name, bytes) => {
    const end = await against((relay) => relay.write(bytes));
    expect(end).toMatchObject({ code: 125, stderr: expect.stringMatching(/^clawrden: relay-lost: .*\n$/) });
  });

  test(
    'P21: random bytes from the relay end it with a code of its own or of the wire',
    async () => {
      for (let seed = 1; seed <= (long ? 400 : 40); seed++) {
        let state = seed;
        const bytes = Buffer.from(
          Array.from({ length: 400 }, () => {
            state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
            return state >>> 24;
          }),
        );
        const { stderr } = await against((relay) => {
          relay.write(
            Buffer.concat([Buffer.of(0), encodeFrame(FrameType.credit, bytes.subarray(0, 4)), bytes]),
          );
          relay.socket.end();
        });
        expect(stderr).not.toContain('Sanitizer');
        expect(stderr).not.toContain('runtime error');
      }
    },
    long ? 600_000 : 20_000,
  );

  test('waits for a relay that is being started', async () => {
    await using bench = new ShimBench(build);
    const run = bench.tool();
    await sleep(400);
    await using relay = await bench.relay();
    const connection = await relay.next();
    await connection.answer(0);
    connection.exit(3);
    expect(await run.end()).toMatchObject({ code: 3, stderr: '' });
  });

  test('waits while a stale socket refuses', async () => {
    await using bench = new ShimBench(build);
    // A socket whose process is gone: a child bound it and was killed.
    const bind = `require('net').createServer().listen(${JSON.stringify(bench.socket)}, () => process.kill(process.pid, 9))`;
    expect(() => execFileSync(process.execPath, ['-e', bind])).toThrow('Command failed');
    const run = bench.tool();
    await sleep(200);
    expect(run.child.exitCode).toBe(null);
    await using relay = await FakeRelay.listen(bench.socket);
    const connection = await relay.next();
    await connection.answer(0);
    connection.exit(4);
    expect(await run.end()).toMatchObject({ code: 4 });
  });

  test('gives up after 5 s, and at once if waiting cannot help', async () => {
    await using bench = new ShimBench(build);
    const before = performance.now();
    const slow = bench.tool();
    const unhelpful = [join('/etc/passwd', 'x'), 'x'.repeat(200)].map((socket) =>
      bench.tool([], { env: { CLAWRDEN_SOCKET: socket } }).end(),
    );
    for (const end of await Promise.all(unhelpful)) {
      expect(end).toMatchObject({
        code: 125,
        stderr: expect.stringMatching(/^clawrden: relay-unreachable: /),
      });
    }
    expect(performance.now() - before).toBeLessThan(4000);
    expect(await slow.end()).toMatchObject({
      code: 125,
      stderr: expect.stringMatching(/^clawrden: relay-unreachable: /),
    });
    expect(performance.now() - before).toBeGreaterThan(4900);
    expect(performance.now() - before).toBeLessThan(7000);
  });

  test('the first ack is due after 30 s', { timeout: 40_000 }, async ({ skip }) => {
    skip(!long, 'it waits for 30 s: scripts/test --long');
    skip(build.name !== 'static', 'one build is enough');
    await using bench = new ShimBench(build);
    const server = createServer().listen(bench.socket);
    const before = performance.now();
    const { code, stderr } = await bench.tool().end();
    server.close();
    expect(code).toBe(125);
    expect(stderr).toMatch(/^clawrden: relay-lost: the relay did not answer within 30 s/);
    expect(performance.now() - before).toBeGreaterThan(29_900);
  });

  test('says why on stderr also if there is no stdout', async () => {
    await using bench = new ShimBench(build);
    const { stderr, code } = await bench
      .script('exec $T <&- >&-', { env: { CLAWRDEN_SOCKET: '/etc/passwd/x' } })
      .end();
    expect(stderr).toMatch(/^clawrden: relay-unreachable: /);
    expect(code).toBe(125);
  });
});
