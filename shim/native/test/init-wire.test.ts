import { describe, expect, test } from 'vitest';
import { encodePlan } from '../../../src/init-client/plan-encoding.ts';
import { encodeFrame, encodeFrameHeader, FrameType } from '../../../src/wire/frames.ts';
import { InitProcess, planOf } from './init-process.ts';
import { nativeBuilds } from './native-builds.ts';

const long = process.env.CLAWRDEN_LONG === '1';
const operands = { operands: ['/none'], expected: ['unseen: there is no such file'] };
const good = encodePlan(planOf({ argv: ['true'], env: ['PATH=/bin:/usr/bin', 'A=b'], ...operands }));

/** The same numbers for the same seed, so that a failure can be run again. */
function randomBytesOf(seed: number, length: number): Buffer {
  let state = seed + 1;
  return Buffer.from(
    Array.from({ length }, () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return state >>> 24;
    }),
  );
}

describe.each(nativeBuilds)('the wire to the gateway ($name)', ({ name, init }) => {
  /** What an init does if it gets bytes instead of a plan frame; it always ends by itself, without complaint. */
  async function answerTo(bytes: Uint8Array): Promise<string> {
    await using command = new InitProcess(init);
    await command.inbox.first(FrameType.ready);
    command.write(bytes);
    command.hangUp();
    await command.exited();
    expect(command.diagnostic).toBe('');
    expect([0, 125]).toContain(command.child.exitCode);
    const last = command.inbox.frames.at(-1);
    return last?.type === FrameType.refused ? last.payload.toString() : `frame ${last?.type}`;
  }

  test('says that it is ready, in version 5, and waits', async () => {
    await using command = new InitProcess(init);
    expect((await command.inbox.first(FrameType.ready)).payload).toEqual(Buffer.of(5));
    command.send(FrameType.plan, good);
    expect(await command.end()).toMatchObject({ code: 0 });
    expect(command.inbox.frames.map(({ type }) => type)).toEqual([
      FrameType.ready,
      FrameType.started,
      FrameType.unread,
      FrameType.exit,
    ]);
  });

  test('a plan that comes byte by byte, and one of a megabyte', async () => {
    await using slow = new InitProcess(init);
    for (const byte of encodeFrame(FrameType.plan, good)) {
      slow.write(Uint8Array.of(byte));
      await new Promise(setImmediate);
    }
    expect(await slow.end()).toMatchObject({ code: 0 });
    const words = Array.from({ length: 8 }, (_, index) => String(index).repeat(125_000));
    await using large = InitProcess.start(init, {
      argv: ['sh', '-c', 'printf %s "$@" | wc -c', 'sh', ...words],
    });
    expect(await large.end()).toMatchObject({ stdout: '1000000\n' });
  });

  test('ends without a word if the gateway goes before the plan is there', async () => {
    expect(await answerTo(new Uint8Array())).toBe('frame 17');
    expect(await answerTo(encodeFrame(FrameType.plan, good).subarray(0, 20))).toBe('frame 17');
  });

  test('refuses a first frame that is no plan, and a length over the limit', async () => {
    expect(await answerTo(encodeFrame(FrameType.stdin, good))).toMatch(/^bad-plan: /);
    expect(await answerTo(encodeFrameHeader(FrameType.plan, 1024 * 1024 + 1))).toMatch(/^bad-plan: /);
    expect(await answerTo(encodeFrameHeader(FrameType.plan, 0xffffffff))).toMatch(/^bad-plan: /);
  });

  test('refuses every plan that is cut, too long or of another version', async () => {
    for (let length = 0; length < good.length; length += name === 'static' ? 1 : 3) {
      expect(await answerTo(encodeFrame(FrameType.plan, good.subarray(0, length)))).toMatch(/^bad-plan: /);
    }
    const longer = Buffer.concat([good, Buffer.of(0)]);
    expect(await answerTo(encodeFrame(FrameType.plan, longer))).toMatch(/^bad-plan: /);
    const version1 = Buffer.from(good);
    version1[0] = 1;
    expect(await answerTo(encodeFrame(FrameType.plan, version1))).toMatch(/^bad-plan: /);
  });

  test.each([
    ...[
      '/etc/motd',
      '/run/secrets/',
      '/run/secrets/..',
      '/run/secrets/.a',
      '/run/secrets/a/b',
      '/run/secretsx',
    ],
    ...['run/secrets/a', ''],
  ])('A-206 refuses a plan that would write a secret elsewhere: "%s"', async (path) => {
    await using command = InitProcess.start(init, { argv: ['true'], files: [{ path, text: 'x' }] });
    expect((await command.end()).refused).toMatch(/^bad-plan: /);
  });

  test('P21: a plan with any byte changed is refused or run, never the end of the init', async () => {
    for (let at = 0; at < good.length; at += name === 'static' ? 1 : 2) {
      const changed = Buffer.from(good);
      changed[at] = (changed[at] ?? 0) ^ (at % 2 === 0 ? 0xff : 0x01);
      await answerTo(encodeFrame(FrameType.plan, changed));
    }
  });

  test(
    'P21: random bytes, before and behind a plan',
    async () => {
      for (let seed = 0; seed < (long ? 400 : 60); seed++) {
        await answerTo(randomBytesOf(seed, 300));
        await answerTo(Buffer.concat([encodeFrame(FrameType.plan, good), randomBytesOf(seed, 300)]));
      }
    },
    long ? 600_000 : 60_000,
  );

  test.each([
    ['an unknown type', encodeFrame(99)],
    ['a frame that only an init sends', encodeFrame(FrameType.exit, Buffer.alloc(7))],
    ['a second plan', encodeFrame(FrameType.plan, good)],
    ['a length over the limit', encodeFrameHeader(FrameType.stdin, 1024 * 1024 + 1)],
    ['a signal of two bytes', encodeFrame(FrameType.signal, Buffer.of(2, 2))],
    ['a size of three bytes', encodeFrame(FrameType.resize, Buffer.alloc(3))],
  ])('ends everything at %s', async (_name, bytes) => {
    await using command = InitProcess.start(init, { argv: ['sleep', '60'] });
    await command.inbox.first(FrameType.started);
    command.write(bytes);
    expect(await command.exited()).toBe(125);
    expect(command.inbox.frames.some(({ type }) => type === FrameType.exit)).toBe(false);
  });
});
