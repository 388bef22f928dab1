import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CarrierError } from '../../../src/carrier-client/carrier-error.ts';
import type { CarrierSession } from '../../../src/carrier-client/carrier-session.ts';
import { bringHome, sendOut } from '../../../src/carrier-client/exchange.ts';
import { BetweenSteps, type TimedStep } from './between-steps.ts';
import { Pair } from './carrier-pair.ts';
import type { Place } from './carrier-process.ts';
import { Dice, disturb } from './random-tree.ts';

/** What a carrier knows is what a look at everything finds. */
export async function knowsAll(session: CarrierSession): Promise<boolean> {
  const known = await session.settle();
  const found = await session.settle({ all: true });
  return found.tree === known.tree && found.version.seq === known.version.seq;
}

async function sameTree({ home, replica }: Pair): Promise<boolean> {
  return (await home.session.settle()).tree === (await replica.session.settle()).tree;
}

function foldersOf(root: string, folder = ''): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter((item) => item.isDirectory())
    .map((item) => join(folder, item.name))
    .filter((path) => join(root, path).length < 180)
    .flatMap((path) => [path, ...foldersOf(root, path)]);
}

/** Renames of folders at random calls; most of them away and back. */
function randomSteps(place: Place, dice: Dice, most: number): TimedStep[] {
  const folders = foldersOf(place.root);
  const steps: TimedStep[] = [];
  for (let pairs = 1 + dice.below(4); pairs > 0 && folders.length > 0; pairs--) {
    const path = dice.pick(folders);
    const to = dice.below(3) === 0 ? join(dice.pick(['', ...folders]), 'aside') : `${path}.aside`;
    const at = dice.below(most);
    steps.push({ at, what: dice.pick(['rename', 'rename', 'rename', 'swap'] as const), path, to });
    const then = dice.below(5);
    if (then < 4) steps.push({ at: at + dice.below(12), what: 'rename', path: to, to: path });
    else steps.push({ at: at + dice.below(4), what: 'make', path });
  }
  return steps;
}

function onlySuspect(error: unknown): void {
  if (!(error instanceof CarrierError && error.code === 'workspace-suspect')) throw error;
}

/** Never all of a tree is gone: that would be suspect. */
function disturbHome({ homePlace }: Pair, dice: Dice): void {
  disturb(homePlace.root, dice, dice.below(8));
  mkdirSync(join(homePlace.root, 'stays', 'in'), { recursive: true });
  for (const name of ['stays/f', 'stays/in/f'])
    writeFileSync(join(homePlace.root, name), String(dice.below(9)));
}

/**
 * Exchanges of a pair in whose trees folders are renamed between two calls of their carriers; then, in peace, as many as
 * need be. Returns what was not as it must be in the first such round, or nothing.
 */
export async function renameStorm(under: string, seed: number, rounds: number): Promise<object | undefined> {
  const all = new Map<Place, BetweenSteps>();
  await using pair = await Pair.make(BetweenSteps.carrier, under, {}, (place) => {
    const steps = new BetweenSteps(place.folder);
    all.set(place, steps);
    return steps.wrapper;
  });
  const { homePlace, replicaPlace, home, replica } = pair;
  const dice = new Dice(seed);
  disturbHome(pair, dice);
  await sendOut(home.session, replica.session);
  let most = 40;
  for (let round = 0; round < rounds; round++) {
    disturbHome(pair, dice);
    disturb(replicaPlace.root, dice, dice.below(8));
    const place = dice.pick([homePlace, replicaPlace]);
    const steps = randomSteps(place, dice, most);
    all.get(place)?.set(place.root, steps);
    const way = dice.pick([bringHome, sendOut]);
    // The only folder may have been away just then.
    await way(home.session, replica.session).catch(onlySuspect);
    most = Math.min(400, Math.max(40, all.get(place)?.calls ?? 0));
    all.get(place)?.set(place.root, []);
    for (let times = 0; times < 3 && (times === 0 || !(await sameTree(pair))); times++) {
      await bringHome(home.session, replica.session);
      await sendOut(home.session, replica.session);
    }
    const known = [await knowsAll(home.session), await knowsAll(replica.session)];
    const same = await sameTree(pair);
    const { difference } = round === rounds - 1 || !same ? pair : { difference: '' };
    if (!same || known.includes(false) || difference !== '') {
      const at = place === homePlace ? 'home' : 'replica';
      return { seed, round, at, way: way.name, known, same, difference, steps };
    }
  }
  for (const steps of all.values()) steps[Symbol.dispose]();
  return undefined;
}
