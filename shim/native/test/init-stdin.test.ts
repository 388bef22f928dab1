import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { InitPlan } from '../../../src/init-client/plan-encoding.ts';
import { FrameType } from '../../../src/wire/frames.ts';
import { InitProcess } from './init-process.ts';
import { nativeBuilds } from './native-builds.ts';
import { eventually, processState, ticksOf } from './process-table.ts';

const window = 262_144;
const asRoot = process.geteuid?.() === 0;
const asAgent = ['setpriv', '--reuid', '1000', '--regid', '1000', '--clear-groups'];
const pipes: Pick<InitPlan, 'stdio'> = { stdio: ['pipe', 'pipe', 'pipe'] };

/** Sends `bytes` as fast as credit allows, then the end. */
async function feed(command: InitProcess, bytes: Buffer): Promise<void> {
  let sent = 0;
  while (sent < bytes.length) {
    await command.inbox.until(() => command.credit > sent, 'credit');
    const next = Math.min(bytes.length, command.credit, sent + 60_000);
    command.send(FrameType.stdin, bytes.subarray(sent, next));
    sent = next;
  }
  command.send(FrameType.stdin);
}

function unreadOf(command: InitProcess): number {
  const frame = command.inbox.frames.findLast(({ type }) => type === FrameType.unread);
  return frame?.payload.readUInt32BE(0) ?? -1;
}

describe.each(nativeBuilds)('what a command reads ($name)', ({ init }) => {
  test('every byte arrives, and the end of the file', async () => {
    const bytes = randomBytes(4_000_000);
    await using command = InitProcess.start(init, { ...pipes, script: 'sha256sum | head -c 64' });
    await feed(command, bytes);
    const { stdout } = await command.end();
    expect(stdout).toBe(createHash('sha256').update(bytes).digest('hex'));
    expect(unreadOf(command)).toBe(0);
  });

  test('an empty stdin ends at once', async () => {
    await using command = InitProcess.start(init, { ...pipes, script: 'cat; echo end' });
    await command.inbox.first(FrameType.credit);
    command.send(FrameType.stdin);
    expect(await command.end()).toMatchObject({ stdout: 'end\n', code: 0 });
  });

  test.each([
    ['stdin: none', { stdinNone: true, stdio: ['pipe', 'pipe', 'pipe'] }],
    ['null', { stdio: ['null', 'pipe', 'pipe'] }],
    ['closed', { stdio: ['closed', 'pipe', 'pipe'] }],
  ] satisfies [string, Partial<InitPlan>][])('no credit is ever granted for %s', async (_name, plan) => {
    await using command = InitProcess.start(init, { ...plan, script: 'cat 2>/dev/null; echo end' });
    expect(await command.end()).toMatchObject({ stdout: 'end\n' });
    expect(command.inbox.frames.some(({ type }) => type === FrameType.credit)).toBe(false);
    expect(unreadOf(command)).toBe(0);
  });

  test('grants 256 KiB ahead of what the tool has read, and never more', async () => {
    const script = 'read go; head -c 100000 >/dev/null; echo read; sleep 60';
    await using command = InitProcess.start(init, { ...pipes, argv: ['bash', '-c', script] });
    await command.inbox.first(FrameType.credit);
    expect(command.credit).toBe(window);
    await sleep(50);
    expect(command.credit).toBe(window);
    command.send(FrameType.stdin, Buffer.from('\n'));
    command.send(FrameType.stdin, Buffer.alloc(window - 1));
    await command.inbox.first(FrameType.stdout);
    // bash reads its line byte by byte; head reads more.
    await command.inbox.until(() => command.credit === window + 100_001, 'credit for what was read');
    await sleep(100);
    expect(command.credit).toBe(window + 100_001);
  });

  test('A-366: what a tool writes into its own stdin grants nothing', async () => {
    const script = 'echo x >/dev/stdin; echo written; read go; sleep 60';
    await using command = InitProcess.start(init, { ...pipes, script });
    await command.inbox.first(FrameType.stdout);
    // Any word of the gateway makes the init look at the pipe.
    command.send(FrameType.signal, Uint8Array.of(18));
    await sleep(50);
    expect(command.credit).toBe(window);
    command.send(FrameType.stdin, Buffer.alloc(1000));
    await sleep(100);
    expect(command.credit).toBeLessThanOrEqual(window + 1000);
  });

  test('stdin beyond the credit is no word of the gateway: everything ends', async () => {
    await using command = InitProcess.start(init, { ...pipes, argv: ['sleep', '60'] });
    await command.inbox.first(FrameType.credit);
    command.send(FrameType.stdin, Buffer.alloc(window));
    command.send(FrameType.stdin, Buffer.alloc(1));
    expect(await command.exited()).toBe(125);
    expect(command.inbox.frames.some(({ type }) => type === FrameType.exit)).toBe(false);
  });

  test.each([0, 1, 5, 65_536, 100_000])('tells exactly how much of it was read: %i bytes', async (count) => {
    // The pause: bytes that are still on the way when it ends do not count as read.
    const script = `read go; dd bs=1 count=${count} of=/dev/null status=none; sleep 0.3`;
    const bytes = Buffer.alloc(150_000, 'x');
    await using command = InitProcess.start(init, { ...pipes, argv: ['bash', '-c', script] });
    await command.sendStdin(Buffer.concat([Buffer.from('\n'), bytes]));
    await command.end();
    expect(unreadOf(command)).toBe(bytes.length - count);
    // The rule for a sender with bytes on the way: after a credit of 0, read = granted - window.
    const [before, last] = command.inbox.frames.slice(-3);
    expect(before).toMatchObject({ type: FrameType.credit, payload: Buffer.alloc(4) });
    expect(last?.type).toBe(FrameType.unread);
    expect(command.credit - window).toBe(count + 1);
  });

  test.each(asRoot ? [[], asAgent] : [[]])(
    'tells what was not read also behind the end of the file %j',
    async (...wrapper) => {
      const plan = { ...pipes, argv: ['bash', '-c', 'read x; echo $x; sleep 0.2'] };
      await using command = InitProcess.start(init, plan, wrapper);
      await command.sendStdin(Buffer.from('one\ntwo\n'));
      command.send(FrameType.stdin);
      expect(await command.end()).toMatchObject({ stdout: 'one\n' });
      expect(unreadOf(command)).toBe(4);
      expect(command.credit - window).toBe(4);
    },
  );

  test('says that nobody reads any more, behind a credit for all that was read', async () => {
    const script = 'read x; exec <&-; echo closed; read_on() { sleep 60; }; read_on';
    await using command = InitProcess.start(init, { ...pipes, argv: ['bash', '-c', script] });
    await command.sendStdin(Buffer.from('one\ntwo\n'));
    const closed = await command.inbox.first(FrameType.closed);
    expect(closed.payload).toEqual(Buffer.of(0));
    expect(command.credit - window).toBe(4);
    command.send(FrameType.stdin, Buffer.from('late'));
    command.send(FrameType.cancel);
    await command.end();
    expect(unreadOf(command)).toBe(8);
  });

  test('says so behind that credit also if the end of the file comes at the same moment', async () => {
    const script = 'until read -t 0; do :; done; kill -STOP $PPID; read x; exec <&-; sleep 1';
    await using command = InitProcess.start(init, { ...pipes, argv: ['bash', '-c', script] });
    await command.sendStdin(Buffer.from('one\ntwo\n'));
    await eventually(() => processState(command.child.pid ?? 0) === 'T', 'a stopped init');
    command.send(FrameType.stdin);
    await sleep(100);
    command.child.kill('SIGCONT');
    await command.inbox.first(FrameType.closed);
    expect(command.credit - window).toBe(4);
  });

  test('input that the tool does not read costs no processor time, nor does output that nobody takes', async () => {
    await using command = InitProcess.start(init, { ...pipes, script: 'sleep 0.1; yes' });
    await command.sendStdin(Buffer.alloc(window));
    command.child.stdout?.pause();
    await sleep(300);
    const before = ticksOf(command.child.pid ?? 0);
    await sleep(500);
    expect(ticksOf(command.child.pid ?? 0) - before).toBeLessThan(10);
  });

  test('a signal does not wait behind unread input', async () => {
    const script = 'trap "echo got; exit 4" USR1; echo up; while :; do sleep 0.05; done';
    await using command = InitProcess.start(init, { ...pipes, script });
    await command.inbox.first(FrameType.stdout);
    await command.sendStdin(Buffer.alloc(window));
    command.send(FrameType.signal, Uint8Array.of(10));
    expect(await command.end()).toMatchObject({ code: 4, stdout: 'up\ngot\n' });
  });
});
