import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { messagesPerSecond } from '../crumb-budgets.ts';
import { toClawrdenError } from '../errors.ts';
import type { Output } from '../wire/execution-io.ts';
import { encodeFrame, encodeFrameHeader, FrameType } from '../wire/frames.ts';
import { InitFault } from './init-fault.ts';
import { attached, type SpokenInit, spokenInit, spokenPlan } from './spoken-init.fixture.ts';

const isLong = process.env['CLAWRDEN_LONG'] === '1';
const runs = isLong ? 6000 : 300;
const seed = isLong ? Date.now() : 20_261_123;

const number = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const exit = Buffer.alloc(20);

/** One letter for each thing that an init may say; what no init ever says is under `?` and upper case. */
const said: Readonly<Record<string, Buffer>> = {
  s: encodeFrame(FrameType.started),
  o: encodeFrame(FrameType.stdout, Buffer.from('o')),
  e: encodeFrame(FrameType.stderr, Buffer.from('e')),
  c: encodeFrame(FrameType.credit, number(1)),
  z: encodeFrame(FrameType.credit, number(0)),
  k: encodeFrame(FrameType.closed, Uint8Array.of(0)),
  t: encodeFrame(FrameType.stopped, Uint8Array.of(19)),
  u: encodeFrame(FrameType.unread, number(0)),
  x: encodeFrame(FrameType.exit, exit),
  f: encodeFrame(FrameType.refused, Buffer.from('not-found: no')),
  // Never.
  R: encodeFrame(FrameType.ready, Uint8Array.of(5)),
  P: encodeFrame(FrameType.operands),
  E: encodeFrame(FrameType.stdout),
  K: encodeFrame(FrameType.closed, Uint8Array.of(1)),
  C: encodeFrame(FrameType.credit, number(0xffff_ffff)),
  D: encodeFrame(FrameType.credit, Uint8Array.of(1)),
  T: encodeFrame(FrameType.stopped, Uint8Array.of(0)),
  U: encodeFrame(FrameType.unread, number(1)),
  X: encodeFrame(FrameType.exit, Uint8Array.of(0)),
  F: encodeFrame(FrameType.refused, Buffer.alloc(4000, 'a')),
  S: encodeFrame(FrameType.started, Buffer.alloc(4000)),
  L: encodeFrameHeader(FrameType.stdout, 1024 * 1024),
  '?': encodeFrame(0, Buffer.from('x')),
  N: encodeFrame(FrameType.notice, Buffer.from('x')),
  I: encodeFrame(FrameType.stdin, Buffer.from('x')),
  W: encodeFrame(37, Buffer.from('x')),
};

type Verdict = 'end' | 'broke' | 'lost';

/** What `docs/protocol.md` says of a conversation after the plan, frame by frame. */
function oracle(letters: string): {
  readonly verdict: Verdict;
  readonly output: string;
  readonly starts: number;
} {
  for (let length = 1; length <= letters.length; length += 1) {
    const heard = letters.slice(0, length);
    const before = heard.slice(0, -1);
    const told = { output: before.replaceAll(/[^oe]/g, ''), starts: before.startsWith('s') ? 1 : 0 };
    const isAllowed = /^(f|sf?|s[oecktz]*u?|s[oecktz]*ux)$/.test(heard);
    const isOnce = !/k.*k/.test(heard) && !/z[^u]/.test(heard);
    if (!isAllowed || !isOnce) return { ...told, verdict: 'broke' };
    if (/[xf]$/.test(heard)) return { ...told, verdict: 'end' };
  }
  return { verdict: 'lost', output: letters.replaceAll(/[^oe]/g, ''), starts: letters === '' ? 0 : 1 };
}

async function conversation(
  letters: string,
  cut: number,
): Promise<{ verdict: Verdict; output: string; starts: number }> {
  using init = await spokenInit();
  let [output, starts] = ['', 0];
  const send = (item: Output) => {
    if (item.type === 'stdout' || item.type === 'stderr') output += Buffer.from(item.bytes).toString();
    return undefined;
  };
  const running = init.session.run({ plan: spokenPlan, send, onStarted: () => void (starts += 1) });
  running.catch(() => {});
  await init.asked;
  const stream = Buffer.concat([...letters].map((letter) => said[letter] ?? Buffer.alloc(0)));
  // The engine cuts frames as it likes.
  const pieces: Buffer[] = [];
  for (let at = 0; at < stream.length; at += cut) pieces.push(attached(stream.subarray(at, at + cut)));
  init.write(Buffer.concat(pieces));
  init.hangUp();
  const verdict = await running.then(
    (): Verdict => 'end',
    (error: unknown): Verdict => (error instanceof InitFault && error.kind === 'broke' ? 'broke' : 'lost'),
  );
  return { verdict, output, starts };
}

const middle = fc.stringMatching(/^[oect]{0,6}$/);
const honest = fc
  .tuple(middle, fc.constantFrom('', 'k'), middle, fc.constantFrom('', 'z'))
  .map(([one, closed, two, settled]) => `s${one}${closed}${two}${settled}ux`);
/** An honest conversation with one frame more, less, twice or instead of another. */
const bent = fc
  .tuple(
    honest,
    fc.nat(20),
    fc.constantFrom(...Object.keys(said)),
    fc.constantFrom('add', 'leave', 'twice', 'swap', 'none'),
  )
  .map(([letters, where, letter, how]) => {
    const at = where % letters.length;
    const [before, there, rest] = [letters.slice(0, at), letters.charAt(at), letters.slice(at + 1)];
    if (how === 'add') return before + letter + there + rest;
    if (how === 'leave') return before + rest;
    if (how === 'twice') return before + there + there + rest;
    return how === 'swap' ? before + letter + rest : letters;
  });
const wild = fc
  .array(fc.constantFrom(...Object.keys(said)), { maxLength: 6 })
  .map((letters) => letters.join(''));

describe('A-108 P15: an init is held to its protocol', () => {
  test('whatever it says in whatever order, the session ends as the page says, and starts at most once', async () => {
    const verdicts = new Set<Verdict>();
    const talks = fc.oneof({ weight: 3, arbitrary: bent }, { weight: 1, arbitrary: wild });
    await fc.assert(
      fc.asyncProperty(talks, fc.constantFrom(1, 3, 7, 100_000), async (letters, cut) => {
        const expected = oracle(letters);
        verdicts.add(expected.verdict);
        expect({ letters, ...(await conversation(letters, cut)) }).toEqual({ letters, ...expected });
      }),
      // What came before a length over the limit counts, also if it came with it.
      { numRuns: runs, seed, examples: [['soLux', 100_000]] },
    );
    expect([...verdicts].sort()).toEqual(['broke', 'end', 'lost']);
  });

  test('it grants no more stdin than it was given and its window', async () => {
    using init = await spokenInit();
    const running = init.session.run({ plan: spokenPlan, send: () => undefined, onStarted: () => {} });
    running.catch(() => {});
    init.session.input({ type: 'stdin', bytes: Buffer.alloc(1000) });
    const grant = (bytes: number) => encodeFrame(FrameType.credit, number(bytes));
    init.say([encodeFrame(FrameType.started), grant(256 * 1024), grant(1000), grant(1)]);
    await expect(running).rejects.toThrow('broke its protocol: a frame credit of an impossible form');
  });

  test.each([
    ['a cause of 6', 0, 6, 0],
    ['a signal of 65', 65, 0, 0],
    ['an operand that its plan does not have', 0, 5, 0],
  ])('A-332: it ends by no number that cannot be: %s', async (_what, signal, cause, operand) => {
    const end = Buffer.alloc(20);
    end.set([0, signal, cause]);
    end[19] = operand;
    const ended = async (frame: Buffer) => {
      using init = await spokenInit();
      const running = init.session.run({ plan: spokenPlan, send: () => undefined, onStarted: () => {} });
      running.catch(() => {});
      init.say([said['s']!, said['z']!, said['u']!, frame]);
      return await running;
    };
    await expect(ended(said['x']!)).resolves.toMatchObject({ type: 'exit' });
    await expect(ended(encodeFrame(FrameType.exit, end))).rejects.toThrow(
      'a frame exit of an impossible form',
    );
  });

  test('nor does it fill a log: what it writes to its own stderr is bounded', async () => {
    using init = await spokenInit();
    const running = init.session.run({ plan: spokenPlan, send: () => undefined, onStarted: () => {} });
    running.catch(() => {});
    init.write(Buffer.concat(Array.from({ length: 80 }, () => attached(Buffer.alloc(1024), 2))));
    await expect(running).rejects.toBeInstanceOf(InitFault);
  });
});

describe('A-108 P22: what carries nothing has a rate', () => {
  const floods = [
    ['stopped', said['t']!],
    ['crumbs of both outputs', Buffer.concat([said['o']!, said['e']!])],
  ] as const;
  test.each(floods)('%s', async (_what, frame) => {
    using init = await spokenInit();
    let passedOn = 0;
    const send = () => {
      passedOn += 1;
      return undefined;
    };
    const running = init.session.run({ plan: spokenPlan, send, onStarted: () => {} });
    running.catch(() => {});
    init.say([said['s']!]);
    const flood = Buffer.concat(Array.from({ length: 5000 }, () => attached(frame)));
    const pour = () => {
      while (init.write(flood));
    };
    init.socket.on('drain', pour);
    pour();
    const began = performance.now();
    while (performance.now() - began < 1000) await new Promise((resolve) => setImmediate(resolve));
    init.socket.off('drain', pour);
    expect(passedOn).toBeGreaterThan(1000);
    // Twice as many at once, and the last chunk.
    expect(passedOn).toBeLessThan(messagesPerSecond * (2 + (performance.now() - began) / 1000) + 16_000);
  });

  test('A-470: and is charged turn by turn: others of its budget wait for no whole chunk', async () => {
    using init = await spokenInit();
    const pace = vi.fn<(messages: number) => number>(() => 0);
    const charged = () => pace.mock.calls.flat();
    const running = init.session.run({ plan: spokenPlan, send: () => undefined, onStarted: () => {}, pace });
    running.catch(() => {});
    init.say([said['s']!]);
    for (let times = 0; times < 5; times += 1)
      init.write(Buffer.concat(Array.from({ length: 2000 }, () => attached(said['t']!))));
    await expect.poll(() => charged().reduce((sum, each) => sum + each, 0)).toBeGreaterThan(10_000);
    expect(Math.max(...charged())).toBeLessThan(100);
  });

  test('and a command that is ended meanwhile ends at once', async () => {
    using init = await spokenInit();
    const running = init.session.run({ plan: spokenPlan, send: () => undefined, onStarted: () => {} });
    running.catch(() => {});
    init.say([said['s']!]);
    const flood = Buffer.concat(Array.from({ length: 20_000 }, () => attached(said['t']!)));
    for (let times = 0; times < 5; times += 1) init.write(flood);
    await new Promise((resolve) => setTimeout(resolve, 200));
    init.session.destroy();
    await expect(running).rejects.toMatchObject({ code: 'host-lost' });
  });
});

describe('A-106 P24: an init answers in its time, or its command ends as its host is at fault', () => {
  afterEach(() => void vi.useRealTimers());

  const running = (init: SpokenInit, runMs = 0, send: () => Promise<void> | undefined = () => undefined) => {
    const ended = init.session.run({
      ...{ plan: { ...spokenPlan, runMs }, send, onStarted: () => {} },
      startWithinMs: 30_000,
    });
    return ended.then(
      () => 'ended',
      (error: unknown) => {
        const { code, message } = toClawrdenError(error);
        return `${error instanceof InitFault ? error.kind : ''} ${code}: ${message}`;
      },
    );
  };
  const untilHeard = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

  test.each([
    ['the plan', 0, '', 30_000, 'silent host-lost: the init did not say that its tool runs within 30 s'],
    [
      'started',
      5000,
      's',
      20_000,
      'silent host-lost: the init did not end its tool at its timeout within 20 s',
    ],
    ['unread', 0, 'su', 10_000, 'silent host-lost: the init did not say within 10 s how its tool ended'],
    [
      'a credit of 0',
      0,
      'sz',
      10_000,
      'silent host-lost: the init did not say within 10 s how its tool ended',
    ],
  ])('after %s it is silent', async (_what, runMs, letters, withinMs, expected) => {
    using init = await spokenInit();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    let answer: string | undefined;
    const ended = running(init, runMs).then((text) => {
      answer = text;
    });
    await init.asked;
    init.say([...letters].map((letter) => said[letter]!));
    for (let turn = 0; turn < 50; turn += 1) await untilHeard();
    await vi.advanceTimersByTimeAsync(withinMs - 10);
    expect(answer).toBeUndefined();
    // Headers of the engine without content, and what its host says beside, prolong nothing.
    init.write(Buffer.concat([attached(Buffer.alloc(0)), attached(Buffer.from('.'), 2)]));
    for (let turn = 0; turn < 50; turn += 1) await untilHeard();
    await vi.advanceTimersByTimeAsync(20);
    await ended;
    expect(answer).toBe(expected);
  });

  test('a reader that takes nothing is not the host’s fault', async () => {
    using init = await spokenInit();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const ended = running(init, 5000, () => new Promise(() => {}));
    await init.asked;
    init.say([said['s']!, said['o']!]);
    for (let turn = 0; turn < 50; turn += 1) await untilHeard();
    await vi.advanceTimersByTimeAsync(20_010);
    expect(await ended).toBe(' run-timeout: the command ran longer than 5 s, and its output was not taken');
  });
});
