import {
  chmodSync,
  chownSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { FrameType } from '../../../src/wire/frames.ts';
import { HeldScript } from './held-script.ts';
import type { InitEnd } from './init-process.ts';
import { nativeBuilds } from './native-builds.ts';

const isLong = process.env['CLAWRDEN_LONG'] === '1';
const runs = isLong ? 300 : 24;
const closeRounds = isLong ? 150 : 18;
const atOnce = 6;
const top = mkdtempSync(join(tmpdir(), 'clawrden-hold-'));
chmodSync(top, 0o755);
afterAll(() => rmSync(top, { recursive: true }), 60_000);
let scripts = 0;
const operandChanged = 5;

/** What is done to which name, and what replaces it or is another name of it. */
const writes = [
  ['write', 'real/x.sh', ''],
  ['impatient', 'real/x.sh', ''],
  ['append', 'way/x.sh', ''],
  ['empty', 'real/x.sh', ''],
  ['truncate', 'real/x.sh', ''],
  ['link', 'real/x.sh', 'twin'],
] as const;
const moves = [
  ['rename', 'real/x.sh', 'other'],
  ['rename', 'real/x.sh', 'astray'],
  ['swap', 'real/x.sh', 'evil/x.sh'],
  ['aside', 'real/x.sh', 'other'],
  ['aside', 'real', 'evil'],
  ['swap', 'real', 'evil'],
  ['swap', 'way', 'detour'],
  ['rename', 'way', 'detour'],
  ['aside', '../app', '../spare'],
] as const;
type Change = (typeof writes | typeof moves)[number];

const schedule = fc.record({
  change: fc.constantFrom<Change>(...writes, ...moves),
  phase: fc.constantFrom('asked', 'start', 'start', 'running', 'after'),
  microseconds: fc.oneof(fc.nat(3000), fc.nat(60_000)),
  shell: fc.constantFrom('sh', 'bash'),
});
type Schedule = typeof schedule extends fc.Arbitrary<infer T> ? T : never;

describe.each(nativeBuilds)('a script that somebody approved ($name)', ({ init }) => {
  const newScript = () => new HeldScript(join(top, String(scripts++)), init);

  async function play({ change, phase, microseconds, shell }: Schedule) {
    const script = newScript();
    const seen = await script.look('way/x.sh');
    const delay = phase === 'asked' ? 0 : phase === 'start' ? microseconds % 4000 : microseconds;
    const [how, path, other] = change;
    await using exchange = await script.exchange(how, path, other, delay);
    if (phase === 'asked' || phase === 'start') exchange.go();
    if (phase === 'asked') await exchange.done();
    if (phase === 'after') script.letGo();
    await using command = script.start(shell, 'way/x.sh', seen);
    if (phase === 'running') {
      await command.inbox.first(FrameType.stdout);
      exchange.go();
    }
    const end = await command.end();
    if (phase === 'after') exchange.go();
    await exchange.done();
    return { end, evilRan: script.evilRan };
  }

  const isChanged = ({ cause, refused = '' }: InitEnd) =>
    cause === operandChanged || refused.startsWith('operand-changed: way/x.sh ');

  function judge({ phase }: Schedule, { end, evilRan }: Awaited<ReturnType<typeof play>>): void {
    expect(evilRan).toBe(false);
    if (phase === 'after') expect(end).toMatchObject({ code: 0, stdout: 'one\ntwo\n', stderr: '' });
    else expect(isChanged(end)).toBe(true);
    if (phase === 'asked') expect(end.refused).toBeDefined();
    if (phase === 'running') expect(end).toMatchObject({ stdout: 'one\n', signal: 9 });
  }

  test('A-78 P9: is never exchanged unseen, whatever is done to it and when', async () => {
    const drawn = fc.sample(schedule, { numRuns: runs, ...(isLong ? {} : { seed: 78 }) });
    const players = Array.from({ length: atOnce }, async (_none, player) => {
      for (const one of drawn.filter((_, index) => index % atOnce === player)) {
        const played = await play(one);
        try {
          judge(one, played);
        } catch (error) {
          throw new Error(`${JSON.stringify(one)} ended with ${JSON.stringify(played)}`, { cause: error });
        }
      }
    });
    await Promise.all(players);
  }, 600_000);

  test('A-78 P9: never gives way to another file, however close to the start its path is led there', async () => {
    for (let round = 0; round < closeRounds; round++) {
      const script = newScript();
      const seen = await script.look('way/x.sh');
      const [how, path, other] = moves[round % moves.length] ?? moves[0];
      await using exchange = await script.exchange(how, path, other, (round * 37) % 700);
      await using command = script.start('sh', 'way/x.sh', seen);
      await command.inbox.first(FrameType.started);
      exchange.go();
      expect(isChanged(await command.end())).toBe(true);
      await exchange.done();
      expect(script.evilRan).toBe(false);
    }
  }, 600_000);

  test('runs exactly, also if others read it and write files beside it', async () => {
    for (const shell of ['sh', 'bash']) {
      const script = newScript();
      await using command = script.start(shell, 'way/x.sh', await script.look('way/x.sh'));
      await command.inbox.first(FrameType.stdout);
      expect(readFileSync(script.at('real/x.sh'), 'utf8')).toContain('echo two');
      writeFileSync(script.at('real/y.sh'), 'y');
      renameSync(script.at('real/y.sh'), script.at('real/x.sh.swp'));
      writeFileSync(script.at('evil/x.sh'), 'y');
      utimesSync(script.at('real/x.sh'), 1, 1);
      script.letGo();
      expect(await command.end()).toMatchObject({ code: 0, stdout: 'one\ntwo\n', stderr: '' });
    }
  });

  test('that a command has not opened yet is stood over, and signals, stops and forks go on as ever', async () => {
    const script = newScript();
    const expected = await script.look('real/x.sh');
    const late =
      'trap "echo got" USR1; echo ready; kill -TSTP $$; (exit 3) | (sleep 0.1; echo $?) & wait; kill -USR1 $$; sh -c "kill -9 \\$\\$"; echo $?; exec sh real/x.sh';
    script.letGo();
    await using command = script.start('sh', 'real/x.sh', expected, { argv: ['sh', '-c', late] });
    const { payload } = await command.inbox.first(FrameType.stopped);
    expect([...payload]).toEqual([constants.signals.SIGTSTP]);
    command.send(FrameType.signal, Uint8Array.of(constants.signals.SIGCONT));
    const stdout = 'ready\n0\ngot\n137\none\ntwo\n';
    expect(await command.end()).toMatchObject({ code: 0, signal: 0, stdout });
  });

  test('A-78: is killed if it writes itself', async () => {
    const script = newScript();
    writeFileSync(script.at('real/x.sh'), `echo one; echo 'echo evil' >> "$0"; echo two\n`);
    const seen = await script.look('real/x.sh');
    expect(await script.run('sh', 'real/x.sh', seen)).toMatchObject({
      cause: operandChanged,
      stdout: 'one\n',
    });
  });

  test.each(['write', 'mapped'])('A-78: is not inspected while somebody has it open: %s', async (how) => {
    const script = newScript();
    const seen = await script.look('real/x.sh');
    await using exchange = how === 'mapped' ? await script.exchange('mapped', 'real/x.sh', '', 0) : undefined;
    const open = how === 'write' ? openSync(script.at('real/x.sh'), 'r+') : undefined;
    expect(await script.look('real/x.sh')).toEqual(['unseen: somebody is writing it']);
    expect((await script.run('sh', 'real/x.sh', seen)).refused).toBe(
      'operand-changed: real/x.sh is not what was approved',
    );
    if (open !== undefined) closeSync(open);
    exchange?.go();
    await exchange?.done();
  });

  const loose = (why: string) => [expect.stringMatching(`^not held: ${why}; sha256:[0-9a-f]{64} /`)];
  const held = [expect.stringMatching('^held sha256:')];

  test('that no lease binds is named, and runs', async () => {
    const script = newScript();
    const mirror = { mirror: true };
    const seen = await script.look('real/x.sh', mirror);
    expect(seen).toEqual(loose('the agent can change it'));
    await using command = script.start('sh', 'real/x.sh', seen, mirror);
    await command.inbox.first(FrameType.stdout);
    writeFileSync(script.at('real/x.sh'), script.evilLine.repeat(2000));
    script.letGo();
    await command.end();
    expect(script.evilRan).toBe(true);
  });

  test('that can be held no more is refused', async () => {
    const script = newScript();
    const seen = await script.look('real/x.sh');
    chmodSync(script.at('real'), 0o311);
    const why = 'a folder on its way cannot be watched';
    if (process.geteuid?.() === 0) chownSync(script.at('real/x.sh'), 1000, 1000);
    expect((await script.run('sh', 'real/x.sh', seen)).refused).toBe(
      `operand-changed: real/x.sh cannot be held as it was when it was approved: ${why}`,
    );
  });

  test.skipIf(process.geteuid?.() !== 0)("of another user is held only if it is root's alone", async () => {
    const script = newScript();
    const owned = async (uid: number, mode: number) => {
      chownSync(script.at('real/x.sh'), uid, uid);
      chmodSync(script.at('real/x.sh'), mode);
      return await script.look('real/x.sh');
    };
    for (const [uid, mode] of [
      [1001, 0o644],
      [0, 0o666],
      [0, 0o664],
    ] as const)
      expect(await owned(uid, mode)).toEqual(loose('it belongs to another user'));
    expect(await owned(0, 0o644)).toEqual(held);
    const seen = await script.look('real/x.sh');
    await using command = script.start('sh', 'real/x.sh', seen);
    await command.inbox.first(FrameType.stdout);
    renameSync(script.at('real'), script.at('gone'));
    expect(await command.end()).toMatchObject({ cause: operandChanged });
  });

  test.skipIf(process.geteuid?.() !== 0)(
    'on a file system whose leases do not bind is not held',
    async () => {
      const script = newScript();
      const mount = 'mount -t overlay overlay -o lowerdir=real,upperdir=evil,workdir=work real && exec "$@"';
      mkdirSync(script.at('work'));
      rmSync(script.at('evil/x.sh'));
      const overlaid = ['unshare', '-m', 'sh', '-c', `cd ${script.app} && ${mount}`, 'sh'];
      expect(await script.look('real/x.sh', {}, overlaid)).toEqual(
        loose('its file system knows no leases that bind everybody'),
      );
    },
  );
});
