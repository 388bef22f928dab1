import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { encodePlan, type InitStdio } from '../../../src/init-client/plan-encoding.ts';
import { encodeFrame, FrameType } from '../../../src/wire/frames.ts';
import type { RelayConnection } from './fake-relay.ts';
import { InitProcess, planOf } from './init-process.ts';
import { nativeBuilds } from './native-builds.ts';
import { ShimBench } from './shim-process.ts';

const sha = (bytes: string) => createHash('sha256').update(bytes, 'latin1').digest('hex');

/** The gateway's and relay's part between the two programs: connects the shim to the init. */
async function serve(relay: RelayConnection, init: string): Promise<void> {
  const request = await relay.answer(0);
  const kinds = request.stdio.map((kind): InitStdio => {
    if (kind === '=1') return 'same';
    return kind === 'null' || kind === 'closed' ? kind : 'pipe';
  });
  await using command = new InitProcess(init);
  command.send(
    FrameType.plan,
    encodePlan(
      planOf({
        argv: ['bash', '--norc', '-c', ...request.args],
        env: [...request.env],
        cwd: request.cwd,
        stdio: kinds as [InitStdio, InitStdio, InitStdio],
        umask: request.umask,
        ignored: request.ignored,
        blocked: request.blocked ?? [],
      }),
    ),
  );
  const pass = (from: { frames: { type: number; payload: Buffer }[] }, to: (frame: Buffer) => void) => {
    let seen = 0;
    return () => {
      for (; seen < from.frames.length; seen++) {
        const { type, payload } = from.frames[seen] as { type: number; payload: Buffer };
        if (type < FrameType.plan)
          to(encodeFrame(type, type === FrameType.exit ? payload.subarray(0, 2) : payload));
      }
    };
  };
  const up = pass(relay.inbox, (frame) => command.write(frame));
  const down = pass(command.inbox, (frame) => relay.write(frame));
  const timer = setInterval(() => {
    up();
    down();
    if (relay.inbox.ended) command.hangUp();
  }, 1);
  await command.exited();
  await new Promise((resolve) => setTimeout(resolve, 20));
  clearInterval(timer);
  down();
  relay.socket.end();
}

describe.each(nativeBuilds)('the shim and the init together ($name)', (build) => {
  /** Runs `script` twice: with the shim for $T, and with bash itself. */
  async function both(script: string, input?: string) {
    await using bench = new ShimBench(build);
    await using relay = await bench.relay();
    writeFileSync(join(bench.directory, 'lines'), lines);
    const result = async (tool: string) => {
      const run = bench.script(script, { env: { T: tool } });
      if (input !== undefined) run.child.stdin?.end(input);
      else run.child.stdin?.end();
      const { code, signal, stdout, stderr } = await run.end();
      return { code, signal, stderr, bytes: stdout.length, hash: sha(stdout), start: stdout.slice(0, 80) };
    };
    let served = true;
    const serving = (async () => {
      while (served) await serve(await relay.next(), build.init);
    })().catch(() => {});
    const remote = await result(join(bench.jail, 'tool'));
    served = false;
    const local = await result('bash --norc -c');
    void serving;
    return { remote, local };
  }

  const lines = Array.from({ length: 40_000 }, (_, index) => `line ${index}\n`).join('');

  test.each([
    ['exit codes', '$T "exit 77"'],
    ['both outputs', '$T "echo out; echo err >&2"'],
    ['one output for both', '$T "for i in 1 2 3; do echo o\\$i; echo e\\$i >&2; done" 2>&1'],
    ['death by a signal', '{ $T "kill -9 \\$\\$"; } 2>/dev/null; echo $?'],
    [
      'a closed stdout',
      '$T "echo x || echo failed >&2" >&- 2>&1; $T "echo x 2>/dev/null || exit 9" >&-; echo $?',
    ],
    ['cat of a file', '$T cat < lines'],
    ['cat of a pipe', 'cat lines | $T cat | cat'],
    ['the first line of a file, the rest for the next', '{ $T "head -c 10"; echo; cat; } < lines'],
    ['one line of a pipe, the rest for the next', 'cat lines | { $T "read x; echo \\$x"; cat; }'],
    ['nothing of a pipe', 'cat lines | { $T "sleep 0.05"; cat; }'],
    [
      'bits of a pipe, in turns',
      'cat lines | { for n in 1 22 333 44444; do $T "head -c $n >/dev/null"; head -n 1; done; cat; }',
    ],
    ['a lot of a pipe', 'cat lines | { $T "head -c 300000 | tail -c 7"; cat; }'],
    ['SIGPIPE for the tool', '$T "yes" | head -n 3; echo "${PIPESTATUS[@]}"'],
    ['SIGPIPE for the producer', '{ yes; } | $T "head -n 2"; echo "${PIPESTATUS[@]}"'],
    [
      'SIGPIPE for a producer while the tool runs on',
      '{ yes; echo $? >&2; } | $T "head -n 1; exec <&-; sleep 0.3; echo on"',
    ],
    ['umask and ignored signals', 'umask 0077; trap "" USR1; $T "umask; kill -USR1 \\$\\$; echo alive"'],
    // As it is for what the shell starts: around a fork it blocks more itself.
    [
      'A-532 blocked signals',
      'python3 -c "import os, signal, sys; signal.pthread_sigmask(signal.SIG_BLOCK, {10, 15}); os.execvp(sys.argv[1], sys.argv[1:])" $T "kill -TERM \\$\\$; kill -USR1 \\$\\$; echo alive; exec grep Sig[BP] /proc/self/status"',
    ],
    ['a script on stdin that runs tools', 'printf "echo a\\n$T \\"echo b\\"\\necho c\\n" | bash --norc -s'],
  ])('as if it were local: %s', async (_name, script) => {
    const { remote, local } = await both(script);
    expect(remote).toEqual(local);
  });

  test('a script that comes over a socket and runs tools', async () => {
    const script = Array.from({ length: 20 }, (_, index) => `echo ${index}; $T "echo tool ${index}"\n`).join(
      '',
    );
    const { remote, local } = await both('bash --norc -s', `${script}${'# more\n'.repeat(20_000)}echo end\n`);
    expect(remote).toEqual(local);
  });
});
