import { linkSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CarrierFrame } from '../../../src/carrier-client/carrier-frame.ts';
import { encodeFrame } from '../../../src/wire/frames.ts';
import { Pair } from './carrier-pair.ts';
import { buildsOrOnly, CarrierProcess, makePlace } from './carrier-process.ts';
import { Dice } from './random-tree.ts';

const long = process.env['CLAWRDEN_LONG'] === '1';
const first = Number(process.env['CLAWRDEN_SEED'] ?? 1);
const places = buildsOrOnly('sanitized');

describe.each(places)('12: a peer that holds the stream ($name, $under)', ({ carrier, under }) => {
  /** A real exchange as frames: hello apart, everything that a receiver is sent. */
  async function recorded(): Promise<Buffer[]> {
    await using pair = await Pair.make(carrier, under);
    for (const name of ['a', 'b', 'd/c', 'd/e/f']) {
      mkdirSync(join(pair.homePlace.root, name, '..'), { recursive: true });
      writeFileSync(join(pair.homePlace.root, name), name.repeat(50));
    }
    linkSync(join(pair.homePlace.root, 'a'), join(pair.homePlace.root, 'd', 'link'));
    await pair.home.session.settle();
    const frames: Buffer[] = [encodeFrame(CarrierFrame.begin, Buffer.alloc(17))];
    await pair.home.session.changes({ of: 'all' }, ({ type, payload }) => {
      frames.push(encodeFrame(type, payload));
      return undefined;
    });
    return [
      ...frames,
      encodeFrame(CarrierFrame.verify),
      encodeFrame(CarrierFrame.commit),
      encodeFrame(CarrierFrame.settle, Buffer.of(1)),
      encodeFrame(CarrierFrame.settle, Buffer.of(4)),
    ];
  }

  test(
    `can make it refuse, and nothing else: damaged, cut, repeated and shuffled frames (CLAWRDEN_SEED=${first})`,
    async () => {
      const frames = await recorded();
      const dice = new Dice(first);
      for (let round = 0; round < (long ? 1000 : 12); round++) {
        using place = makePlace(under);
        writeFileSync(join(place.folder, 'outside'), 'untouched');
        await using victim = await CarrierProcess.start(carrier, place, { role: 'replica' });
        const sent: Buffer[] = frames.map((frame) => Buffer.from(frame));
        for (let times = 1 + dice.below(3); times > 0; times--) {
          const frame = dice.pick(sent);
          const at = dice.below(frame.length);
          if (dice.below(5) === 0) sent.splice(dice.below(sent.length), 1 + dice.below(2), dice.pick(frames));
          else frame[at] = dice.below(256);
        }
        victim.stream.on('error', () => {});
        victim.stream.resume();
        victim.stream.write(Buffer.concat(sent));
        victim.stream.end();
        const code = await victim.exited();
        expect([victim.diagnostic, victim.child.signalCode]).toEqual(['', null]);
        expect([0, 125]).toContain(code);
        expect(readdirSync(place.folder).sort()).toEqual(['area', 'base', 'outside']);
        expect(readFileSync(join(place.folder, 'outside'), 'utf8')).toBe('untouched');
      }
    },
    long ? 900_000 : 60_000,
  );

  test.each([
    '../outside',
    'd/../../outside',
    '/outside',
    'd//x',
    '.',
    '',
    '.clawrden',
    '.clawrden/x',
    'a/'.repeat(300),
  ])('a path like %j is refused before anything is made', async (path) => {
    using place = makePlace(under);
    await using victim = await CarrierProcess.start(carrier, place, { role: 'replica' });
    const length = Buffer.from([path.length >> 8, path.length & 255]);
    const record = Buffer.alloc(1 + 12 + 24 + 32);
    record[0] = 1;
    const entry = Buffer.concat([
      Buffer.of(1, 2),
      record,
      Buffer.alloc(33),
      length,
      Buffer.from(path),
      Buffer.alloc(2 + 4 + 4),
    ]);
    await victim.session.begin({ version: { epoch: 0n, seq: 0n } });
    await victim.session.put({ type: CarrierFrame.entry, payload: entry });
    await expect(victim.session.verify()).rejects.toThrow(/^bad-/);
    expect(readdirSync(place.root)).toEqual([]);
  });
});
