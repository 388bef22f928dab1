import { describe, expect, test } from 'vitest';
import { encodePlan } from '../../../src/init-client/plan-encoding.ts';
import { encodeFrame, FrameType } from '../../../src/wire/frames.ts';
import { InitProcess, planOf } from './init-process.ts';
import { nativeBuilds } from './native-builds.ts';

const forwarded = { HUP: 1, INT: 2, QUIT: 3, USR1: 10, USR2: 12, TERM: 15 };

describe.each(nativeBuilds)('signals ($name)', ({ init }) => {
  test.each(Object.entries(forwarded))('%s reaches the whole process group', async (name, number) => {
    const child = `trap "echo child" ${name}; echo up; sleep 0.5; sleep 0.1`;
    const script = `trap "echo parent" ${name}; bash -c '${child}'; exit 9`;
    await using command = InitProcess.start(init, { argv: ['bash', '-c', script] });
    await command.inbox.first(FrameType.stdout);
    command.send(FrameType.signal, Uint8Array.of(number));
    const { stdout, code } = await command.end();
    expect(stdout.split('\n').sort()).toEqual(['', 'child', 'parent', 'up']);
    expect(code).toBe(9);
  });

  test.each(Object.entries(forwarded))(
    'A-521: %s that comes together with the plan ends the tool',
    async (_, number) => {
      await using command = new InitProcess(init);
      await command.inbox.first(FrameType.ready);
      const plan = encodeFrame(FrameType.plan, encodePlan(planOf({ argv: ['sleep', '30'] })));
      command.write(Buffer.concat([plan, encodeFrame(FrameType.signal, Uint8Array.of(number))]));
      expect(await command.end()).toMatchObject({ code: 0, signal: number });
    },
  );

  test('A-521: so does a cancel', async () => {
    await using command = new InitProcess(init);
    await command.inbox.first(FrameType.ready);
    const plan = encodeFrame(FrameType.plan, encodePlan(planOf({ argv: ['sleep', '30'] })));
    command.write(Buffer.concat([plan, encodeFrame(FrameType.cancel, new Uint8Array())]));
    expect(await command.end()).toMatchObject({ signal: 15, cause: 4 });
  });

  test('TSTP stops it, which is told, and CONT lets it go on', async () => {
    const script =
      'echo up; while :; do sleep 0.02; test -e /proc/self && n=$((n+1)); [ $n -lt 40 ] || exit 6; done';
    // Not dash: its child may stop between vfork and exec, and then dash stops with it before it can stop itself.
    await using command = InitProcess.start(init, { argv: ['bash', '-c', script] });
    await command.inbox.first(FrameType.stdout);
    for (let round = 0; round < 3; round++) {
      const seen = command.inbox.frames.length;
      command.send(FrameType.signal, Uint8Array.of(20));
      expect((await command.inbox.first(FrameType.stopped, seen)).payload).toEqual(Buffer.of(20));
      command.send(FrameType.signal, Uint8Array.of(18));
    }
    expect(await command.end()).toMatchObject({ code: 6 });
  });

  test('the tool starts with the dispositions and the mask of a fresh process, but for what is to be ignored or blocked (A-532)', async () => {
    const sets = async (ignored: number[], blocked: number[] = []) => {
      await using command = InitProcess.start(init, { argv: ['cat', '/proc/self/status'], ignored, blocked });
      const { stdout } = await command.end();
      return stdout
        .match(/^Sig(Blk|Ign|Cgt).*$/gm)
        ?.join(' ')
        .replace(/\s+/g, ' ');
    };
    const empty = '0000000000000000';
    expect(await sets([])).toBe(`SigBlk: ${empty} SigIgn: ${empty} SigCgt: ${empty}`);
    expect(await sets([1, 13, 64])).toBe(`SigBlk: ${empty} SigIgn: 8000000000001001 SigCgt: ${empty}`);
    expect(await sets([], [1, 15, 64])).toBe(`SigBlk: 8000000000004001 SigIgn: ${empty} SigCgt: ${empty}`);
  });

  test.each([0, 9, 17, 19, 64, 255])('number %i is no signal that may be sent', async (number) => {
    await using command = InitProcess.start(init, { argv: ['sleep', '60'] });
    await command.inbox.first(FrameType.started);
    command.send(FrameType.signal, Uint8Array.of(number));
    expect(await command.exited()).toBe(125);
    expect(command.inbox.frames.some(({ type }) => type === FrameType.exit)).toBe(false);
  });
});
