import { execFileSync } from 'node:child_process';
import { becomeHome, keepBesideHome } from '../../../src/carrier-client/exchange.ts';
import type { Applied } from '../../../src/carrier-client/exchange-frames.ts';
import type { Hello } from '../../../src/carrier-client/hello.ts';
import { BetweenSteps } from './between-steps.ts';
import { CarrierProcess, makePlace, type Place } from './carrier-process.ts';

/** What rsync would do to make the replica what home is: nothing, if they are the same. */
export function difference(home: Place, replica: Place): string {
  const args = ['-aHAX', '-n', '--delete', '--checksum', '--itemize-changes', '--exclude=/.clawrden'];
  return execFileSync('rsync', [...args, `${home.root}/`, `${replica.root}/`]).toString();
}

/** A home and its replica, of which either can be killed and started again. */
export class Pair {
  readonly homePlace: Place;
  readonly replicaPlace: Place;
  home: CarrierProcess;
  replica: CarrierProcess;
  readonly #start: (role: Hello['role']) => Promise<CarrierProcess>;

  /** `wrap`: what each carrier is started by, from its place. */
  static async make(
    carrier: string,
    under: string,
    over: Partial<Hello> = {},
    wrap: (place: Place) => readonly string[] = () => [],
  ): Promise<Pair> {
    const places = { home: makePlace(under), replica: makePlace(under) };
    const start = (role: Hello['role']) =>
      CarrierProcess.start(carrier, places[role], { ...over, role }, wrap(places[role]));
    return new Pair(places, start, await start('home'), await start('replica'));
  }

  private constructor(
    places: { home: Place; replica: Place },
    start: (role: Hello['role']) => Promise<CarrierProcess>,
    home: CarrierProcess,
    replica: CarrierProcess,
  ) {
    this.homePlace = places.home;
    this.replicaPlace = places.replica;
    this.#start = start;
    this.home = home;
    this.replica = replica;
  }

  /** Ends it as its caller's end does, or kills it; and starts another on the same place. */
  async again(role: Hello['role'], how: 'end' | 'kill'): Promise<void> {
    const carrier = this[role];
    if (how === 'end') carrier.session.end();
    else carrier.child.kill('SIGKILL');
    await carrier.exited();
    this[role] = await this.#start(role);
  }

  /** What the replica changed is kept beside home; then the replica is what home is. */
  async setAside(): Promise<Applied | undefined> {
    const applied = await keepBesideHome(this.home.session, this.replica.session);
    await becomeHome(this.home.session, this.replica.session);
    return applied;
  }

  get difference(): string {
    return difference(this.homePlace, this.replicaPlace);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.home[Symbol.asyncDispose](), this.replica[Symbol.asyncDispose]()]);
    this.homePlace[Symbol.dispose]();
    this.replicaPlace[Symbol.dispose]();
  }
}

/** A pair of which each follows steps of its own: home's first. */
export async function pairWithSteps(under: string): Promise<{ pair: Pair; steps: BetweenSteps[] }> {
  const steps: BetweenSteps[] = [];
  const pair = await Pair.make(BetweenSteps.carrier, under, {}, ({ folder }) => {
    const own = new BetweenSteps(folder);
    steps.push(own);
    return own.wrapper;
  });
  return { pair, steps };
}
