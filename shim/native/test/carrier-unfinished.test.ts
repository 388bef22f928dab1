import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { CarrierSession } from '../../../src/carrier-client/carrier-session.ts';
import { bringHome, sendOut } from '../../../src/carrier-client/exchange.ts';
import type { Applied, BeginOptions, ChangesQuery } from '../../../src/carrier-client/exchange-frames.ts';
import type { BetweenSteps } from './between-steps.ts';
import { type Pair, pairWithSteps } from './carrier-pair.ts';
import { CarrierProcess, carrierBuilds, fileSystems, makePlace, type Place } from './carrier-process.ts';

/** Of the calls of a commit, or of a start. */
const every = process.env['CLAWRDEN_LONG'] === '1' ? 1 : 13;

/** Of the commit in a replica: the first ones are its moves. */
const callsInReplica = 130;
const movesInReplica = 30;

type At = (path: string) => string;
type Seen = string | readonly string[] | undefined;

const seen = (path: string): Seen => {
  if (!existsSync(path)) return undefined;
  return statSync(path).isDirectory() ? readdirSync(path).sort() : readFileSync(path, 'utf8');
};

/** All that is in a folder, as the texts of its files. */
function textsIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true, recursive: true }).flatMap((item) =>
    item.isFile() ? [readFileSync(join(item.parentPath, item.name), 'utf8')] : [],
  );
}

/** A folder with each kind of what a commit takes out of a tree. */
function makeBase(at: At): void {
  for (const folder of ['', 'tree', 'dir']) mkdirSync(at(folder));
  for (const file of ['both', 'gone', 'old', 'kind', 'known', 'tree/x', 'dir/y', 'stays'])
    writeFileSync(at(file), `base ${at(file)}`);
}

function changeByAgent(at: At, round: number): void {
  for (const file of ['both', 'gone']) writeFileSync(at(file), `agent ${file} ${round}`);
}

function changeByTool(at: At): void {
  for (const gone of ['gone', 'kind', 'tree', 'dir']) rmSync(at(gone), { recursive: true });
  renameSync(at('old'), at('new'));
  mkdirSync(at('kind'));
  for (const file of ['both', 'kind/in', 'known', 'dir']) writeFileSync(at(file), `tool ${file}`);
}

/** By path: what may be at home after an exchange that was cut, before it and after it. */
function possible(at: At, round: number): Readonly<Record<string, readonly [before: Seen, after: Seen]>> {
  const base = (file: string) => `base ${at(file)}`;
  return {
    both: [`agent both ${round}`, 'tool both'],
    gone: [`agent gone ${round}`, undefined],
    old: [base('old'), undefined],
    new: [undefined, base('old')],
    kind: [base('kind'), ['in']],
    tree: [['x'], undefined],
    dir: [['y'], 'tool dir'],
    known: [base('known'), 'tool known'],
    stays: [base('stays'), base('stays')],
  };
}

interface Exchange {
  readonly from: CarrierSession;
  readonly to: CarrierSession;
  readonly query: ChangesQuery;
  readonly begin: BeginOptions;
}

/** An exchange up to its commit. */
async function checked({ from, to, query, begin }: Exchange): Promise<void> {
  await to.begin(begin);
  await from.changes(query, (frame) => to.put(frame));
  await to.verify();
}

interface Told {
  readonly path: Buffer;
  readonly kept?: string;
}

const toldIn = (applied: Applied | undefined): readonly Told[] =>
  applied?.refused.filter(({ why }) => why === 'replaced') ?? [];

/** The carrier of `role` is killed right before its call `at`, with what `work` asks it for. */
async function killed<T>(
  { root }: Place,
  steps: BetweenSteps,
  at: number,
  work: () => Promise<T>,
): Promise<T | undefined> {
  steps.set(root, [{ at, what: 'kill', path: '' }]);
  const done = await work().catch(() => undefined);
  steps.set(root, []);
  return done;
}

/** Each commit and each start looks at all that is kept: so that they make as many calls as before. */
function emptyKept({ area }: Place): void {
  rmSync(join(area, 'kept'), { recursive: true, force: true });
}

class Rounds implements AsyncDisposable {
  readonly #pair: Pair;
  readonly #home: BetweenSteps;
  #round = 0;

  static async make(): Promise<Rounds> {
    const { pair, steps } = await pairWithSteps(fileSystems[0]);
    if (steps[0] === undefined) throw new Error('home has no steps');
    return new Rounds(pair, steps[0]);
  }

  private constructor(pair: Pair, steps: BetweenSteps) {
    this.#pair = pair;
    this.#home = steps;
  }

  /** What both sides changed is ready to be committed with the tool's version. */
  async #prepare(): Promise<{ folder: string; here: At }> {
    const { home, replica, homePlace, replicaPlace } = this.#pair;
    const folder = `r${++this.#round}`;
    const here = (path: string) => join(homePlace.root, folder, path);
    makeBase(here);
    await sendOut(home.session, replica.session);
    changeByAgent(here, this.#round);
    changeByTool((path) => join(replicaPlace.root, folder, path));
    const begin = { version: (await replica.session.settle()).at, theirs: true };
    await checked({ from: replica.session, to: home.session, query: { of: 'dirty' }, begin });
    return { folder, here };
  }

  /** How many calls a commit makes, and a start. */
  async count(): Promise<{ commit: number; start: number }> {
    await this.#prepare();
    this.#home.set(this.#pair.homePlace.root, []);
    await this.#pair.home.session.commit();
    const commit = this.#home.calls;
    this.#home.set(this.#pair.homePlace.root, []);
    await this.#pair.again('home', 'kill');
    const start = this.#home.calls;
    await this.#converge();
    return { commit, start };
  }

  /**
   * The carrier at home is killed in its commit, and in the start behind it; the next one is not. Resolves with what is
   * not as it may be.
   */
  async next(at: number, inStart?: number): Promise<string[]> {
    const pair = this.#pair;
    const { folder, here } = await this.#prepare();
    const applied = await killed(pair.homePlace, this.#home, at, () => pair.home.session.commit());
    let told = toldIn(applied);
    if (inStart !== undefined) {
      await killed(pair.homePlace, this.#home, inStart, () => pair.again('home', 'kill'));
      told = [...told, ...pair.home.session.takeLate().files];
    }
    await pair.again('home', 'kill');
    told = [...told, ...pair.home.session.takeLate().files];
    const faults = [...this.#wrongIn(here, applied !== undefined), ...this.#lostOf(folder, here, told)];
    await this.#converge();
    faults.push(...this.#wrongIn(here, true), pair.difference);
    rmSync(here(''), { recursive: true });
    await sendOut(pair.home.session, pair.replica.session);
    return faults.filter((fault) => fault !== '').map((fault) => `${at}, ${inStart}: ${fault}`);
  }

  async #converge(): Promise<void> {
    const { home, replica, homePlace } = this.#pair;
    await bringHome(home.session, replica.session, { conflicts: 'keep-tool' });
    await sendOut(home.session, replica.session);
    emptyKept(homePlace);
  }

  #wrongIn(here: At, isOver: boolean): string[] {
    return Object.entries(possible(here, this.#round)).flatMap(([path, [before, after]]) => {
      const found = JSON.stringify(seen(here(path)));
      const may = (isOver ? [after] : [before, after]).map((one) => JSON.stringify(one));
      return may.includes(found) ? [] : [`${path} is ${found}`];
    });
  }

  /** What only home had and is neither there nor kept and told. */
  #lostOf(folder: string, here: At, told: readonly Told[]): string[] {
    const { homePlace } = this.#pair;
    const moved = `base ${here('old')}`;
    const lost = textsIn(here('')).includes(moved) ? [] : [moved];
    for (const file of ['both', 'gone']) {
      const text = `agent ${file} ${this.#round}`;
      const names = told.filter(({ path }) => path.toString() === `${folder}/${file}`);
      const kept = names.map((one) => readFileSync(join(homePlace.area, 'kept', one.kept ?? ''), 'utf8'));
      if (seen(here(file)) !== text && !kept.includes(text)) lost.push(text);
    }
    return lost.map((text) => `"${text}" is lost`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pair[Symbol.asyncDispose]();
  }
}

describe('a carrier that is killed in the middle of a commit', () => {
  test('A-563 P13: at home leaves each version in the tree, or in kept/ and told', async () => {
    await using rounds = await Rounds.make();
    const { commit } = await rounds.count();
    expect(commit).toBeGreaterThan(50);
    for (let at = 0; at <= commit; at += every) expect(await rounds.next(at)).toEqual([]);
  }, 600_000);

  test('A-563 P13: so it does if the next one is killed in its start', async () => {
    await using rounds = await Rounds.make();
    const { commit, start } = await rounds.count();
    for (let at = 0; at <= commit + start; at += 2 * every)
      expect(await rounds.next(at % commit, (at * 7) % start)).toEqual([]);
  }, 600_000);

  test('A-563 P13: of a replica leaves what a tool wrote meanwhile in the tree, or in kept/', async () => {
    const { pair, steps } = await pairWithSteps(fileSystems[0]);
    await using _pair = pair;
    const [, own] = steps;
    if (own === undefined) throw new Error('the replica has no steps');
    writeFileSync(join(pair.homePlace.root, 'stays'), '');
    for (let at = 0; at <= callsInReplica; at += at < movesInReplica ? Math.min(3, every) : every) {
      const folder = `d${at}`;
      const there = (path: string) => join(pair.replicaPlace.root, folder, path);
      mkdirSync(join(pair.homePlace.root, folder));
      for (const name of ['x', 'y']) writeFileSync(join(pair.homePlace.root, folder, name), 'base');
      await sendOut(pair.home.session, pair.replica.session);
      const since = (await pair.replica.session.settle()).at;
      rmSync(join(pair.homePlace.root, folder), { recursive: true });
      writeFileSync(there('new'), `new ${at}`);
      const { version } = await pair.home.session.settle();
      const sides = { from: pair.home.session, to: pair.replica.session };
      await checked({ ...sides, query: { of: 'since', version: since }, begin: { version } });
      appendFileSync(there('x'), ` and tool ${at}`);
      await killed(pair.replicaPlace, own, at, () => pair.replica.session.commit());
      await pair.again('replica', 'kill');
      const texts = [...textsIn(there('')), ...textsIn(join(pair.replicaPlace.area, 'kept'))];
      expect([at, texts]).toEqual([at, expect.arrayContaining([`new ${at}`, `base and tool ${at}`])]);
      await bringHome(pair.home.session, pair.replica.session);
      await sendOut(pair.home.session, pair.replica.session);
      expect([at, pair.difference]).toEqual([at, '']);
      emptyKept(pair.replicaPlace);
    }
  }, 600_000);

  function tornStage({ area }: Place): string {
    const stage = join(area, 'stage');
    mkdirSync(stage, { recursive: true, mode: 0o700 });
    for (const file of ['g5', 's7', 'commit']) writeFileSync(join(stage, file), file);
    return stage;
  }

  test.each(carrierBuilds)(
    'A-563 P13: keeps all of the stage if its list is torn ($name)',
    async ({ carrier }) => {
      using place = makePlace();
      const stage = tornStage(place);
      await using next = await CarrierProcess.start(carrier, place);
      expect(next.first.late.map(({ path }) => path.toString())).toEqual(['.clawrden/stage']);
      const kept = join(place.area, 'kept', next.first.late[0]?.kept ?? '');
      expect(readdirSync(kept).sort()).toEqual(['commit', 'g5', 's7']);
      await next.session.settle();
      expect(existsSync(stage)).toBe(false);
    },
  );

  test.each(carrierBuilds)(
    'A-563 P13: does not start if it cannot keep that ($name)',
    async ({ carrier }) => {
      using place = makePlace();
      const stage = tornStage(place);
      writeFileSync(join(place.area, 'kept'), '');
      await expect(CarrierProcess.start(carrier, place)).rejects.toThrow(/^carrier-failed: there is no room/);
      expect(readdirSync(stage).sort()).toEqual(['commit', 'g5', 's7']);
    },
  );
});
