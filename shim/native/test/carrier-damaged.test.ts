import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { becomeHome, bringHome, keepBesideHome, sendOut } from '../../../src/carrier-client/exchange.ts';
import { difference } from './carrier-pair.ts';
import { buildsOrOnly, CarrierProcess, helloOf, makePlace, type Place } from './carrier-process.ts';
import { type Damage, damages, FrameDamage } from './frame-damage.ts';
import { Dice } from './random-tree.ts';

const isLong = Boolean(process.env['CLAWRDEN_LONG']);
const first = Number(process.env['CLAWRDEN_SEED'] ?? 1);
const places = buildsOrOnly('sanitized');
const enough = 60_000;

type Role = 'home' | 'replica';
const ways = ['back', 'out'] as const;
type Way = (typeof ways)[number];

/** Small files, a large one of which blocks are asked for, names of one file, folders, and what goes. */
function change(root: string, round: number): void {
  const at = (path: string) => join(root, path);
  rmSync(at(`new${round - 1}`), { recursive: true, force: true });
  mkdirSync(at(`new${round}/in`), { recursive: true });
  for (const name of ['a', 'in/b', 'in/c']) writeFileSync(at(`new${round}/${name}`), `${name}${round}`);
  linkSync(at(`new${round}/a`), at(`new${round}/link`));
  writeFileSync(at('large'), Buffer.concat([randomBytes(2 ** 20), Buffer.alloc(2 ** 20 + 7, 'x')]));
}

async function start(binary: string, place: Place, role: Role, silenceMs = 20_000) {
  const carrier = new CarrierProcess(binary, [], { role, silenceMs });
  const damage = new FrameDamage(carrier.stream);
  await carrier.session.ready(helloOf(place, { role }));
  return { carrier, damage };
}

/** One whole exchange in which one frame of `by` is damaged. The other carrier goes on. */
async function damagedOnce(
  { binary, home, replica, by }: { binary: string; home: Place; replica: Place; by: Role },
  other: CarrierProcess,
  { round, way, frame, how }: { round: number; way: Way; frame: number; how: Damage },
  dice: Dice,
): Promise<FrameDamage> {
  change(way === 'back' ? replica.root : home.root, round);
  const { carrier, damage } = await start(binary, by === 'home' ? home : replica, by, 700);
  await using _ = carrier;
  damage.arm(
    (at) => at === frame,
    () => how,
    dice,
  );
  const [here, there] = by === 'home' ? [carrier, other] : [other, carrier];
  await (way === 'back' ? bringHome : sendOut)(here.session, there.session).catch(() => {});
  return damage;
}

/** The positive control: what the replica makes comes home, and both are the same, with the same carrier. */
async function goodExchange(binary: string, both: Record<Role, Place>, by: Role, other: CarrierProcess) {
  await using again = (await start(binary, both[by], by)).carrier;
  const [home, replica] = by === 'home' ? [again, other] : [other, again];
  await keepBesideHome(home.session, replica.session);
  await becomeHome(home.session, replica.session);
  expect(difference(both.home, both.replica)).toBe('');
  const bytes = randomBytes(20);
  writeFileSync(join(both.replica.root, 'control'), bytes);
  await bringHome(home.session, replica.session);
  expect(readFileSync(join(both.home.root, 'control'))).toEqual(bytes);
}

/** Every fourth of them, or one. */
function framesOf(count: number, dice: Dice): readonly number[] {
  if (!isLong) return [dice.below(count)];
  const from = dice.below(4);
  return Array.from({ length: count }, (_, frame) => frame).filter((frame) => frame % 4 === from);
}

describe.each(places)(
  'a frame of the other side that was damaged ($name, $under)',
  ({ carrier: binary, under }) => {
    test.each<Role>(['replica', 'home'])(
      `A-105: one of a %s ends no other carrier: it completes the next exchange (CLAWRDEN_SEED=${first})`,
      async (by) => {
        using home = makePlace(under);
        using replica = makePlace(under);
        const both = { home, replica };
        const of = by === 'home' ? ('replica' as const) : ('home' as const);
        await using other = (await start(binary, both[of], of)).carrier;
        const dice = new Dice(first);
        const frames = { back: 0, out: 0 };
        for (const [round, way] of ways.entries()) {
          const whole = { round: round + 1, way, frame: -1, how: 'drop' } as const;
          frames[way] = (await damagedOnce({ binary, home, replica, by }, other, whole, dice)).frames;
          await goodExchange(binary, both, by, other);
        }
        const chosen = damages.flatMap((how) =>
          ways.flatMap((way) => framesOf(frames[way], dice).map((frame) => ({ way, frame, how }))),
        );
        let hits = 0;
        for (const [at, one] of chosen.entries()) {
          const told = JSON.stringify(one);
          const { done } = await damagedOnce(
            { binary, home, replica, by },
            other,
            { ...one, round: at + 3 },
            dice,
          );
          hits += done;
          expect([told, other.child.exitCode, other.child.signalCode, other.session.alive]).toEqual([
            told,
            null,
            null,
            true,
          ]);
          await goodExchange(binary, both, by, other);
        }
        expect(hits).toBeGreaterThan(chosen.length / 2);
      },
      isLong ? 900_000 : enough,
    );
  },
);
