import { describe, expect, test } from 'vitest';
import type { InitPlan } from '../../../src/init-client/plan-encoding.ts';
import { FrameType } from '../../../src/wire/frames.ts';
import { InitProcess } from './init-process.ts';
import { nativeBuilds } from './native-builds.ts';

const terminal = {
  terminal: true,
  stdio: ['tty', 'tty', 'same'],
  cols: 100,
  rows: 30,
} satisfies Partial<InitPlan>;
const bash = (script: string) => ({ argv: ['bash', '-c', script] });

describe.each(nativeBuilds)('a command with a terminal ($name)', ({ init }) => {
  async function shows(command: InitProcess, text: string): Promise<void> {
    await command.inbox.until(() => command.inbox.bytes(FrameType.stdout).includes(text), text);
  }

  test('is in the foreground of one of its own, with the size that was asked for', async () => {
    const script =
      'tty; stty size; [ -t 0 ] && [ -t 1 ] && [ -t 2 ] && echo all; ps -o pid=,pgid=,tpgid= -p $$';
    await using command = InitProcess.start(init, { ...terminal, ...bash(script) });
    const { stdout, code } = await command.end();
    const [name, size, all, ids = ''] = stdout.split('\r\n');
    expect([name, size, all]).toEqual([expect.stringMatching(/^\/dev\/pts\/\d+$/), '30 100', 'all']);
    const [pid, group, foreground] = ids.trim().split(/\s+/);
    expect([group, foreground]).toEqual([pid, pid]);
    expect(code).toBe(0);
  });

  test('every byte arrives, also the last ones before it ends', async () => {
    await using command = InitProcess.start(init, { ...terminal, script: 'seq 1 20000; printf last' });
    const { stdout } = await command.end();
    const expected = Array.from({ length: 20_000 }, (_, index) => `${index + 1}\r\n`).join('');
    expect(stdout === `${expected}last`).toBe(true);
  });

  test('echoes, edits lines, and takes ^D for the end', async () => {
    await using command = InitProcess.start(init, { ...terminal, script: 'cat; echo end' });
    await command.sendStdin(Buffer.from('heltlo\x7f\x7f\x7flo\n'));
    await shows(command, '\nhello\r\n');
    command.send(FrameType.stdin, Buffer.of(4));
    expect((await command.end()).stdout).toMatch(/\r\nhello\r\nend\r\n$/);
  });

  test('the end of stdin is an end of file too', async () => {
    await using command = InitProcess.start(init, { ...terminal, script: 'cat; echo end' });
    await command.sendStdin(Buffer.from('x\n'));
    command.send(FrameType.stdin);
    expect((await command.end()).stdout).toMatch(/x\r\nend\r\n$/);
  });

  test('^C is a SIGINT for its foreground group', async () => {
    await using command = InitProcess.start(init, { ...terminal, ...bash('echo up; sleep 60; echo no') });
    await shows(command, 'up');
    await command.sendStdin(Buffer.of(3));
    expect(await command.end()).toMatchObject({ code: 0, signal: 2 });
  });

  test('^Z stops it, which is told, and CONT lets it go on', async () => {
    const script = 'echo up; read line; echo got $line';
    await using command = InitProcess.start(init, { ...terminal, ...bash(script) });
    await shows(command, 'up');
    await command.sendStdin(Buffer.of(26));
    expect((await command.inbox.first(FrameType.stopped)).payload).toEqual(Buffer.of(20));
    command.send(FrameType.signal, Uint8Array.of(18));
    command.send(FrameType.stdin, Buffer.from('hello\n'));
    expect((await command.end()).stdout).toContain('got hello\r\n');
  });

  test('a new size is told by SIGWINCH', async () => {
    const script = 'trap "stty size; exit" WINCH; echo up; while :; do sleep 0.05; done';
    await using command = InitProcess.start(init, { ...terminal, ...bash(script) });
    await shows(command, 'up');
    command.send(FrameType.resize, Buffer.of(0, 132, 0, 50));
    expect((await command.end()).stdout).toBe('up\r\n50 132\r\n');
  });

  test('job control works in it', async () => {
    const script = 'set -m; sleep 60 & fg %1 >/dev/null; echo status $?; kill %1; wait; echo done';
    await using command = InitProcess.start(init, { ...terminal, ...bash(script) });
    await command.inbox.first(FrameType.credit);
    await new Promise((resolve) => setTimeout(resolve, 300));
    command.send(FrameType.stdin, Buffer.of(26));
    expect((await command.end()).stdout).toMatch(/status 14[68]\r\n.*done\r\n$/s);
  });

  test('stdin: none reads nothing and translates no output', async () => {
    const plan = { ...terminal, stdinNone: true, stdio: ['null', 'tty', 'same'] } satisfies Partial<InitPlan>;
    await using command = InitProcess.start(init, {
      ...plan,
      script: 'cat; printf "a\\nb\\n"; test -t 1 && test -t 2',
    });
    expect(await command.end()).toMatchObject({ stdout: 'a\nb\n', code: 0 });
    expect(command.inbox.frames.some(({ type }) => type === FrameType.credit)).toBe(false);
  });

  test('stderr may be a pipe beside it', async () => {
    const plan = { ...terminal, stdio: ['tty', 'tty', 'pipe'] } satisfies Partial<InitPlan>;
    await using command = InitProcess.start(init, { ...plan, script: 'echo out; echo err >&2' });
    expect(await command.end()).toMatchObject({ stdout: 'out\r\n', stderr: 'err\n' });
  });

  test('goes on when nobody looks any more', async () => {
    await using command = InitProcess.start(init, {
      ...terminal,
      script: 'echo up; read x; seq 1 100000; exit 8',
    });
    await shows(command, 'up');
    command.send(FrameType.closed, Uint8Array.of(1));
    await command.sendStdin(Buffer.from('\n'));
    const { code, stdout } = await command.end();
    expect(code).toBe(8);
    expect(stdout.length).toBeLessThan(100_000);
  });
});
