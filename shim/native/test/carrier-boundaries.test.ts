import { linkSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bringHome, sendOut } from '../../../src/carrier-client/exchange.ts';
import { Pair } from './carrier-pair.ts';
import { buildsOrOnly } from './carrier-process.ts';
import { type Cut, FrameCutter } from './frame-cutter.ts';
import { Dice } from './random-tree.ts';

const long = process.env['CLAWRDEN_LONG'] === '1';
const first = Number(process.env['CLAWRDEN_SEED'] ?? 1);
const places = buildsOrOnly('sanitized');

/** Of each kind of change one or two; with a file of which only some blocks travel. */
function change(root: string, round: number): void {
  const at = (path: string) => join(root, path);
  writeFileSync(at('replaced'), `${round}`.repeat(1000));
  writeFileSync(
    at('large'),
    Buffer.concat([Buffer.alloc(2 ** 20, `${round}`), Buffer.alloc(2 ** 20 + 7, 'x')]),
  );
  mkdirSync(at(`new${round}/in`), { recursive: true });
  for (const name of ['a', 'in/b', 'in/c']) writeFileSync(at(`new${round}/${name}`), `${name}${round}`);
  linkSync(at('replaced'), at(`new${round}/link`));
  rmSync(at(`new${round - 2}`), { recursive: true, force: true });
  if (round > 1) renameSync(at(`new${round - 1}/a`), at(`new${round}/moved`));
}

/** Every plain file with its bytes. Links are not followed: entries are told by their folders. */
function filesOf(root: string, folder = ''): Map<string, string> {
  const found = new Map<string, string>();
  for (const item of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = join(folder, item.name);
    if (item.isDirectory()) for (const [name, bytes] of filesOf(root, path)) found.set(name, bytes);
    else if (item.isFile()) found.set(path, readFileSync(join(root, path), 'latin1'));
  }
  return found;
}

describe.each(places)('an exchange that is cut ($name, $under)', ({ carrier, under }) => {
  const rounds = long ? 100 : 10;

  test(
    `23: at any frame to or from a carrier, or within it, each file is before or after and the next exchange converges (${rounds}, CLAWRDEN_SEED=${first})`,
    async () => {
      await using pair = await Pair.make(carrier, under);
      const dice = new Dice(first);
      const most = { out: 0, back: 0 };
      const cuts = { to: 0, from: 0 };
      change(pair.homePlace.root, 0);
      await sendOut(pair.home.session, pair.replica.session);
      for (let round = 1; round <= rounds; round++) {
        const way = round % 2 === 0 ? 'out' : 'back';
        const [from, to] =
          way === 'out'
            ? [pair.homePlace.root, pair.replicaPlace.root]
            : [pair.replicaPlace.root, pair.homePlace.root];
        const before = filesOf(to);
        change(from, round);
        const after = filesOf(from);
        // The first two, one for each direction, are not cut: they say how many frames there are.
        const cut: Cut | undefined =
          round <= 2
            ? undefined
            : {
                frame: dice.below(most[way]),
                at: dice.pick(['before', 'within', 'after'] as const),
                how: dice.pick(['kill', 'link'] as const),
              };
        const cutter = new FrameCutter([pair.home, pair.replica], cut);
        await (way === 'out' ? sendOut : bringHome)(pair.home.session, pair.replica.session).catch(() => {});
        most[way] = Math.max(most[way], cutter.frames);
        if (cutter.cut) cuts[cutter.cut.direction]++;
        // What was begun when its link was cut is done to its end.
        await cutter.cut?.carrier.exited();
        for (const [path, bytes] of filesOf(to))
          expect([round, cut, path, [before.get(path), after.get(path)].includes(bytes)]).toEqual([
            round,
            cut,
            path,
            true,
          ]);
        for (const role of ['home', 'replica'] as const) await pair.again(role, dice.pick(['kill', 'end']));
        await bringHome(pair.home.session, pair.replica.session);
        await sendOut(pair.home.session, pair.replica.session);
        expect([round, cut, pair.difference]).toEqual([round, cut, '']);
        expect([round, filesOf(to)]).toEqual([round, after]);
        expect((await pair.home.session.settle()).tree).toBe((await pair.replica.session.settle()).tree);
      }
      expect(Math.min(most.out, most.back)).toBeGreaterThan(30);
      expect(cuts.to + cuts.from).toBe(rounds - 2);
      expect(Math.min(cuts.to, cuts.from)).toBeGreaterThan(0);
    },
    long ? 900_000 : 60_000,
  );
});
