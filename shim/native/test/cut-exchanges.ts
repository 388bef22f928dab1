import { linkSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { bringHome, sendOut } from '../../../src/carrier-client/exchange.ts';
import { Pair } from './carrier-pair.ts';
import { type Cut, FrameCutter } from './frame-cutter.ts';
import { Dice } from './random-tree.ts';

type Way = 'out' | 'back';

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

/**
 * Exchanges between two real carriers, out and back in turn. Each is cut at a frame to or from one of them, and what it
 * left is checked.
 */
export class CutExchanges implements AsyncDisposable {
  /** Frames of the longest exchange in each direction. */
  readonly most: Record<Way, number> = { out: 0, back: 0 };
  /** Exchanges that were cut, by whether the frame went to or came from the carrier. */
  readonly cuts = { to: 0, from: 0 };
  readonly #pair: Pair;
  readonly #dice: Dice;
  #round = 0;

  static async make(carrier: string, under: string, seed: number): Promise<CutExchanges> {
    const pair = await Pair.make(carrier, under);
    change(pair.homePlace.root, 0);
    await sendOut(pair.home.session, pair.replica.session);
    return new CutExchanges(pair, seed);
  }

  private constructor(pair: Pair, seed: number) {
    this.#pair = pair;
    this.#dice = new Dice(seed);
  }

  /** One exchange, cut, and what did not hold. The first of each direction is whole: it says how many frames there are. */
  async next(): Promise<string[]> {
    const round = ++this.#round;
    const way: Way = round % 2 === 0 ? 'out' : 'back';
    const cut = round <= 2 ? undefined : this.#draw(way);
    const [from, to] = this.#roots(way);
    const before = filesOf(to);
    change(from, round);
    const after = filesOf(from);
    await this.#exchange(way, cut);
    const torn = [...filesOf(to)].filter(
      ([path, bytes]) => before.get(path) !== bytes && after.get(path) !== bytes,
    );
    const problems = torn.map(([path]) => `${path} is neither before nor after`);
    const told = `round ${round}, ${way}, ${JSON.stringify(cut)}`;
    return [...problems, ...(await this.#converge(to, after))].map((problem) => `${told}: ${problem}`);
  }

  #draw(way: Way): Cut {
    return {
      frame: this.#dice.below(this.most[way]),
      at: this.#dice.pick(['before', 'within', 'after'] as const),
      how: this.#dice.pick(['kill', 'link'] as const),
    };
  }

  #roots(way: Way): readonly [from: string, to: string] {
    const [home, replica] = [this.#pair.homePlace.root, this.#pair.replicaPlace.root];
    return way === 'out' ? [home, replica] : [replica, home];
  }

  async #exchange(way: Way, cut: Cut | undefined): Promise<void> {
    const { home, replica } = this.#pair;
    const cutter = new FrameCutter([home, replica], cut);
    await (way === 'out' ? sendOut : bringHome)(home.session, replica.session).catch(() => {});
    this.most[way] = Math.max(this.most[way], cutter.frames);
    if (cutter.cut === undefined) return;
    this.cuts[cutter.cut.direction]++;
    // What was begun when its link was cut is done to its end.
    await cutter.cut.carrier.exited();
  }

  /** Both carriers end or are killed; the next ones have to agree by tree id, and rsync with them. */
  async #converge(to: string, after: Map<string, string>): Promise<string[]> {
    const pair = this.#pair;
    for (const role of ['home', 'replica'] as const)
      await pair.again(role, this.#dice.pick(['kill', 'end'] as const));
    await bringHome(pair.home.session, pair.replica.session);
    await sendOut(pair.home.session, pair.replica.session);
    const [home, replica] = [await pair.home.session.settle(), await pair.replica.session.settle()];
    return [
      ...(home.tree === replica.tree ? [] : ['home and replica have other tree ids']),
      ...(pair.difference === '' ? [] : [`rsync would do ${pair.difference}`]),
      ...(isDeepStrictEqual(filesOf(to), after) ? [] : ['the next exchange did not bring what was changed']),
    ];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pair[Symbol.asyncDispose]();
  }
}
