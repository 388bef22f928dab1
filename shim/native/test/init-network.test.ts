import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { FrameType } from '../../../src/wire/frames.ts';
import { InitProcess } from './init-process.ts';
import { nativeBuilds } from './native-builds.ts';
import { ticksOf } from './process-table.ts';

const windowUp = 65_536;
const windowDown = 262_144;
/** A namespace as a ghost has it: a loopback, and nothing else. */
const alone = ['unshare', '-n', 'sh', '-c', 'ip link set lo up && exec "$0"'];
const asRoot = process.geteuid?.() === 0;

const number = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const of = (id: number, rest: Uint8Array = new Uint8Array()) => Buffer.concat([Buffer.of(id), rest]);

/** An init whose tool is a script of bash, which opens connections by itself. */
function start(init: string, script: string, more: object = {}): InitProcess {
  return InitProcess.start(init, { network: true, argv: ['bash', '-c', script], ...more }, alone);
}

const open = 'exec 3<>/dev/tcp/127.0.0.1/3128';

function carried(command: InitProcess, id = 0): Buffer {
  const ours = command.inbox.frames.filter(
    ({ type, payload }) => type === FrameType.carried && payload[0] === id,
  );
  return Buffer.concat(ours.map(({ payload }) => payload.subarray(1)));
}

describe.skipIf(!asRoot).each(nativeBuilds)('connections of a tool ($name)', ({ init }) => {
  test('bytes go both ways, and the end of each side is told', async () => {
    await using command = start(init, `${open}; echo question >&3; cat <&3; exec 3<&-; sleep 0.2; echo over`);
    expect((await command.inbox.first(FrameType.opened)).payload).toEqual(Buffer.of(0));
    await command.inbox.until(() => carried(command).length === 9, 'a question');
    expect(carried(command).toString()).toBe('question\n');
    command.send(FrameType.carried, of(0, Buffer.from('answer\n')));
    command.send(FrameType.finished, of(0));
    await command.inbox.first(FrameType.finished);
    expect((await command.inbox.first(FrameType.gone)).payload).toEqual(Buffer.of(0));
    command.send(FrameType.gone, of(0));
    expect(await command.end()).toMatchObject({ code: 0, stdout: 'answer\nover\n' });
  });

  test('a megabyte each way arrives whole, and no more than the window is ever on its way', async () => {
    const bytes = randomBytes(1_000_000);
    const script = `${open}; head -c 1000000 /dev/zero >&3 & cat <&3 | sha256sum`;
    await using command = start(init, script);
    await command.inbox.first(FrameType.opened);
    let [sent, room, heard] = [0, windowDown, 0];
    let told = 0;
    while (sent < bytes.length) {
      const next = bytes.subarray(sent, sent + Math.min(room, 50_000));
      if (next.length > 0) command.send(FrameType.carried, of(0, next));
      sent += next.length;
      room -= next.length;
      await sleep(1);
      const rooms = command.inbox.frames.filter(({ type }) => type === FrameType.room);
      for (const { payload } of rooms.slice(told)) room += payload.readUInt32BE(1);
      told = rooms.length;
      expect(carried(command).length).toBeLessThanOrEqual(heard + windowUp);
      if (carried(command).length === heard + windowUp || carried(command).length === bytes.length) {
        const more = carried(command).length - heard;
        if (more > 0) command.send(FrameType.room, of(0, number(more)));
        heard += more;
      }
    }
    command.send(FrameType.finished, of(0));
    const { stdout } = await command.end();
    expect(stdout.slice(0, 64)).toBe(createHash('sha256').update(bytes).digest('hex'));
  });

  test('without credit a client waits, and costs nothing', async () => {
    await using command = start(init, `${open}; head -c 1000000 /dev/zero >&3 & sleep 2`);
    await command.inbox.until(() => carried(command).length === windowUp, 'a window');
    const before = ticksOf(command.child.pid ?? 0);
    await sleep(500);
    expect(carried(command).length).toBe(windowUp);
    expect(ticksOf(command.child.pid ?? 0) - before).toBeLessThan(10);
  });

  test('one connection that nobody reads holds up neither the others nor the output', async () => {
    const script = `${open}; exec 4<>/dev/tcp/127.0.0.1/3128; echo b >&4; head -n 1 <&4; echo out`;
    await using command = start(init, script);
    await command.inbox.until(() => carried(command, 1).length === 2, 'the second one');
    // The first one is full: its client reads nothing.
    command.send(FrameType.carried, of(0, Buffer.alloc(windowDown)));
    command.send(FrameType.carried, of(1, Buffer.from('other\n')));
    expect(await command.end()).toMatchObject({ stdout: 'other\nout\n' });
  });

  test('64 are open at once; one more waits until one of them is gone on both sides', async () => {
    const script = 'for i in $(seq 70); do (exec 3<>/dev/tcp/127.0.0.1/3128; cat <&3) & done; wait; echo all';
    await using command = start(init, script);
    const opened = () => command.inbox.frames.filter(({ type }) => type === FrameType.opened).length;
    await command.inbox.until(() => opened() === 64, '64 connections');
    await sleep(200);
    expect(opened()).toBe(64);
    for (let id = 0; id < 64; id += 1) command.send(FrameType.gone, of(id));
    await command.inbox.until(() => opened() === 70, 'the others');
    const ids = command.inbox.frames.flatMap(({ type, payload }) =>
      type === FrameType.opened ? [payload[0]] : [],
    );
    expect(new Set(ids).size).toBe(64);
    for (const id of ids.slice(64)) command.send(FrameType.finished, of(id ?? 0));
    expect(await command.end()).toMatchObject({ stdout: 'all\n' });
  });

  test('a connection that the gateway cuts off is reset; what it had finished is delivered', async () => {
    const script = `${open}; cat <&3; exec 4<>/dev/tcp/127.0.0.1/3128; cat <&4; echo $?`;
    await using command = start(init, script);
    await command.inbox.first(FrameType.opened);
    command.send(FrameType.carried, of(0, Buffer.alloc(200_000, 'x')));
    command.send(FrameType.finished, of(0));
    command.send(FrameType.gone, of(0));
    const opened = () => command.inbox.frames.filter(({ type }) => type === FrameType.opened);
    await command.inbox.until(() => opened().length === 2, 'a second connection');
    command.send(FrameType.gone, of(opened()[1]?.payload[0] ?? 0));
    const { stdout } = await command.end();
    expect([stdout.slice(0, 200_000) === 'x'.repeat(200_000), stdout.slice(200_000)]).toEqual([true, '1\n']);
  });

  test('connections count as no silence, and end with the tool', async () => {
    const script = `${open}; for i in 1 2 3 4 5 6; do echo $i >&3; sleep 0.2; done; echo done`;
    await using command = start(init, script, { idleMs: 600 });
    expect(await command.end()).toMatchObject({ cause: 0, stdout: 'done\n' });
    const types = command.inbox.frames.map(({ type }) => type);
    expect(types.slice(-2)).toEqual([FrameType.unread, FrameType.exit]);
  });

  test.each([
    ['bytes of a connection that is not open', FrameType.carried, of(0, Buffer.of(1))],
    ['a number that no connection has', FrameType.carried, of(64, Buffer.of(1))],
    ['no bytes', FrameType.carried, of(0)],
    ['no number', FrameType.gone, Buffer.alloc(0)],
    ['more room than its window', FrameType.room, of(0, number(1))],
    ['room of three bytes', FrameType.room, of(0, Buffer.alloc(3))],
  ])('ends everything at %s', async (what, type, payload) => {
    const isOpen = what !== 'bytes of a connection that is not open';
    await using command = start(init, `${isOpen ? `${open}; ` : ''}sleep 60`);
    await command.inbox.first(isOpen ? FrameType.opened : FrameType.started);
    command.send(type, payload);
    expect(await command.exited()).toBe(125);
  });

  test('ends everything at more bytes than it has room for, and at bytes behind their end', async () => {
    await using first = start(init, `${open}; sleep 60`);
    await first.inbox.first(FrameType.opened);
    // The kernel takes some of them for the client.
    for (let times = 0; times < 60; times += 1)
      first.send(FrameType.carried, of(0, Buffer.alloc(windowDown)));
    expect(await first.exited()).toBe(125);
    await using second = start(init, `${open}; sleep 60`);
    await second.inbox.first(FrameType.opened);
    second.send(FrameType.finished, of(0));
    second.send(FrameType.carried, of(0, Buffer.of(1)));
    expect(await second.exited()).toBe(125);
  });

  test('a plan without a network has no listener, and a mirrored one can have none', async () => {
    const script = `${open} 2>/dev/null || echo none`;
    await using without = start(init, script, { network: false });
    expect(await without.end()).toMatchObject({ stdout: expect.stringContaining('none') });
    await using mirrored = start(init, 'true', { mirror: true });
    expect((await mirrored.end()).refused).toMatch(/^bad-plan: /);
  });

  test('if something else listens there, nothing runs', async () => {
    const listen =
      'require("net").createServer().listen(3128, "127.0.0.1"); setTimeout(() => process.exit(), 5000)';
    const busy = `ip link set lo up; '${process.execPath}' -e '${listen}' >/dev/null & sleep 1; exec "$0"`;
    const wrapper = ['unshare', '-n', 'sh', '-c', busy];
    await using command = InitProcess.start(init, { network: true, script: 'echo ran' }, wrapper);
    const end = await command.end();
    expect(end.stdout).toBe('');
    expect(end.refused).toMatch(/^init-failed: nobody can listen on 127\.0\.0\.1:3128: /);
  });
});
