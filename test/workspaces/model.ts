import { deepStrictEqual as same } from 'node:assert';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Visit } from '../../gateway/workspaces/visit.ts';
import { type Dice, disturb } from '../../shim/native/test/random-tree.ts';
import type { ClawrdenError } from '../../src/errors.ts';
import { filesOf, type HostName, hostNames, keptOf, type Site } from './site.ts';

const never = AbortSignal.timeout(30 * 60_000);
type Files = ReadonlyMap<string, string>;

/** A gateway's workspaces under random work; `done` counts operations on files. */
export class Model {
  readonly site: Site;
  readonly #dice: Dice;
  readonly #host: () => HostName;
  done = 0;

  constructor(site: Site, dice: Dice) {
    this.site = site;
    this.#dice = dice;
    this.#host = () => dice.pick(hostNames);
  }

  readonly rounds: readonly (() => Promise<void>)[] = [
    () => this.alone(),
    () => this.alone(),
    () => this.meanwhile(),
    () => this.together(),
    () => this.lost(),
    () => this.killed(),
  ];

  /** One command: home is then what it left, exactly. */
  async alone(): Promise<void> {
    const host = this.#host();
    this.#work('home');
    await this.#visit(host, async (visit) => {
      await this.#settled(host, visit);
      this.#work(host);
      const after = this.#files(host);
      same(await visit.bringHome(never), undefined);
      same(this.#files('home'), after);
      await this.#equal(host);
    });
  }

  /** The agent works while its command runs. */
  async meanwhile(): Promise<void> {
    const host = this.#host();
    await this.#visit(host, async (visit) => {
      await this.#settled(host, visit);
      const common = this.#files('home');
      this.#work(host);
      this.#work('home');
      const [here, there] = [this.#files('home'), this.#files(host)];
      await visit.bringHome(never);
      this.#expectNothingLost(common, here, there);
      const home = this.#files('home');
      for (const [path, bytes] of here)
        if (common.get(path) !== bytes) same([path, home.get(path)], [path, bytes]);
    });
    await this.#converges(host);
  }

  /** Two commands at once, on one host or on two. */
  async together(): Promise<void> {
    const [a, b] = [this.#host(), this.#host()];
    await this.#visit(a, (one) =>
      this.#visit(b, async (two) => {
        await Promise.all([one.settle(never), two.settle(never)]);
        const common = this.#files('home');
        this.#work(a);
        this.#work(b);
        const [left, right] = [this.#files(a), this.#files(b)];
        await Promise.all([one.bringHome(never), two.bringHome(never)]);
        this.#expectNothingLost(common, left, right);
      }),
    );
    await this.#converges(a);
    await this.#converges(b);
    same(
      this.site.told.filter(({ why }) => why === 'late'),
      [],
    );
  }

  /** What a command left that never came home is kept, told, and not applied. */
  async lost(): Promise<void> {
    const host = this.#host();
    let common: Files = new Map();
    await this.#visit(host, async (visit) => {
      await this.#settled(host, visit);
      common = this.#files('home');
      this.#work(host);
    });
    const there = this.#files(host);
    this.#work('home');
    const before = this.#files('home');
    await this.#converges(host);
    same(this.#files('home'), before);
    this.#expectKept(common, before, there);
  }

  /** A carrier is killed in the middle: each file is before or after, and the next command converges. */
  async killed(): Promise<void> {
    const host = this.#host();
    this.#work('home');
    const common = this.#files('home');
    let there = common;
    await this.#visit(host, async (visit) => {
      const victims = [this.#dice.pick(['home', host] as const), this.#dice.pick(['home', host] as const)];
      if (!(await this.#cut(victims[0] ?? host, () => visit.settle(never)))) return;
      same(this.#files(host), common);
      this.#work(host);
      there = this.#files(host);
      await this.#cut(victims[1] ?? host, () => visit.bringHome(never));
      for (const [path, bytes] of this.#files('home'))
        same([path, [common.get(path), there.get(path)].includes(bytes)], [path, true]);
    });
    await this.#converges(host);
    this.#expectKept(common, this.#files('home'), there);
  }

  /** Whether it was done all the same. */
  async #cut(victim: HostName | 'home', work: () => Promise<unknown>): Promise<boolean> {
    const [doing] = await Promise.all([
      work().then(
        () => true,
        (error: unknown) => {
          same((error as ClawrdenError).code, 'workspace-unreachable');
          return false;
        },
      ),
      sleep(this.#dice.below(40)).then(() => this.site.kill(victim)),
    ]);
    return doing;
  }

  async #visit(host: HostName, work: (visit: Visit) => Promise<void>): Promise<void> {
    const visit = this.site.visit(host);
    try {
      await work(visit);
    } finally {
      visit.end();
    }
  }

  async #settled(host: HostName, visit: Visit): Promise<void> {
    const before = this.#files('home');
    await visit.settle(never);
    same(this.#files('home'), before);
    await this.#equal(host);
  }

  async #converges(host: HostName): Promise<void> {
    await this.#visit(host, (visit) => this.#settled(host, visit));
  }

  async #equal(host: HostName): Promise<void> {
    same(this.site.difference(host), '');
    const [home, replica] = await this.site.states(host);
    same(replica?.tree, home.tree);
    // What differs for the carrier alone would be kept as late at the next command.
    same(replica.dirty, 0);
  }

  /** What either side changed is at home, or kept. */
  #expectNothingLost(common: Files, ...sides: readonly Files[]): void {
    const home = this.#files('home');
    for (const side of sides) this.#expectKept(common, home, side);
  }

  #expectKept(common: Files, home: Files, side: Files): void {
    const kept = keptOf(this.site.home);
    for (const [path, bytes] of side) {
      const isThere = common.get(path) === bytes || home.get(path) === bytes || kept.has(bytes);
      same([path, isThere], [path, true]);
    }
  }

  #work(where: HostName | 'home'): void {
    const count = 1 + this.#dice.below(12);
    this.done += count;
    disturb(this.#root(where), this.#dice, count);
  }

  #files(where: HostName | 'home'): Files {
    return filesOf(this.#root(where));
  }

  #root(where: HostName | 'home'): string {
    return where === 'home' ? this.site.home.root : this.site.replicas[where].root;
  }
}
