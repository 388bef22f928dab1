import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ReplicaOf, ReplicaWish } from '../../gateway/ports/replica.ts';
import { toWorkspaceError } from '../../gateway/workspaces/faults.ts';
import { type FollowParts, followWorkspaces } from '../../gateway/workspaces/follow.ts';
import { homeOf } from '../../gateway/workspaces/home-of.ts';
import { HomeTurns } from '../../gateway/workspaces/home-turns.ts';
import { createHomes, type Homes } from '../../gateway/workspaces/homes.ts';
import type { LeftOutTold } from '../../gateway/workspaces/left-out.ts';
import { Replicas } from '../../gateway/workspaces/replicas.ts';
import type { NotApplied } from '../../gateway/workspaces/visit.ts';
import { difference } from '../../shim/native/test/carrier-pair.ts';
import {
  CarrierProcess,
  carrierBuilds,
  helloOf,
  makePlace,
  type Place,
} from '../../shim/native/test/carrier-process.ts';
import { type Damage, FrameDamage } from '../../shim/native/test/frame-damage.ts';
import { Dice } from '../../shim/native/test/random-tree.ts';
import { CarrierFrame } from '../../src/carrier-client/carrier-frame.ts';
import type { CarrierState, TakenLate } from '../../src/carrier-client/carrier-state.ts';
import { defaultLimits, encodeHello } from '../../src/carrier-client/hello.ts';
import type {
  AgentConfig,
  HostConfig,
  SyncConfig,
  WorkspaceConfig,
} from '../../src/config/gateway-config.ts';
import { ClawrdenError } from '../../src/errors.ts';
import { encodeFrame } from '../../src/wire/frames.ts';
import { stopAll } from '../lab/host-processes.ts';
import type { HostileHow } from './hostile-replica.ts';

export const agent = 'coder';
export const hostNames = ['one', 'two'] as const;
export type HostName = (typeof hostNames)[number];

const [{ carrier: binary }] = carrierBuilds;
const hostileReplica = [process.execPath, fileURLToPath(new URL('hostile-replica.ts', import.meta.url))];

/** The gateway's side of workspaces, with real carriers: a home, and a replica on each of two hosts. */
export class Site implements AsyncDisposable {
  readonly home: Place;
  readonly replicas: Readonly<Record<HostName, Place>>;
  /** Hosts on which no carrier starts: it is another program there, which ends at once. */
  readonly broken = new Set<HostName>();
  /** Hosts that somebody took over, and what their carrier does. */
  readonly hostile = new Map<HostName, HostileHow>();
  /** Hosts that somebody took over, which damage frames of their carrier in this way. */
  readonly damaging = new Map<HostName, { readonly type: number; readonly how: Damage }>();
  /** Hosts whose carrier ends when what it has is to become what home is. */
  readonly failing = new Set<HostName>();
  /** Hosts whose carrier ends when home has what it sent. */
  readonly leaving = new Set<HostName>();
  /** Carriers of home that began. */
  homesBegun = 0;
  /** What each carrier of a replica was told to carry. */
  readonly carried: ReplicaWish[] = [];
  /** What `gateway.yaml` says of the agent's workspace now. */
  workspace = followedWorkspace;
  /** What was told as not applied, since this was last emptied. */
  readonly told: NotApplied[] = [];
  /** Of each carrier, what it was asked since this was last emptied: the types of frames, but for entries and chunks. */
  readonly asked: Record<HostName | 'home', number[]> = { home: [], one: [], two: [] };
  /** Changes that a carrier found by itself. */
  readonly missed: string[] = [];
  /** What carriers of replicas kept there. */
  readonly keptThere: (TakenLate & { readonly host: string })[] = [];
  /** Hosts that were left out, and why. */
  readonly leftOut: LeftOutTold[] = [];
  readonly homes: Homes;
  readonly turns: HomeTurns;
  readonly slots = new Replicas(({ host }, kept) => this.keptThere.push({ host, ...kept }));
  /** As the gateway does if a host does not answer any more. */
  readonly lose: (host: HostName) => void;
  readonly #follow: ReturnType<typeof followWorkspaces>;
  readonly #carriers = new Map<HostName | 'home', CarrierProcess>();
  readonly #hostileHome: HostileHow | undefined;
  #closed = false;

  /** `hostileHome`: what the carriers of home do, if somebody took over their relay. */
  constructor(under: string, homeUnder = under, hostileHome?: HostileHow) {
    this.#hostileHome = hostileHome;
    this.home = makePlace(homeUnder);
    this.replicas = { one: makePlace(under), two: makePlace(under) };
    this.homes = createHomes({
      placeOf: () => ({ relay: 'relay', ...this.workspace }),
      onMissed: (_agent, count) => this.missed.push(`home ${count}`),
    });
    const replicas = this.slots;
    this.lose = (host) =>
      replicas.lose(host, new ClawrdenError('host-lost', `the Docker host ${host} was lost`));
    for (const host of hostNames)
      replicas.attach(host, {
        openReplica: (wish) => this.#openReplica(host, wish),
        replicas: async () => [],
        removeReplica: () => this.#removeReplica(host),
      });
    this.turns = new HomeTurns({
      useHome: this.homes.use,
      onLeftOut: (told) => this.leftOut.push(told),
    });
    const parts: FollowParts = {
      ...{ replicas, turns: this.turns, onNotApplied: (found) => this.told.push(found) },
      onMissed: (_agent, host, count) => this.missed.push(`${host} ${count}`),
      agents: () => this.agents,
      hosts: () => new Map(hostNames.map((name) => [name, { name, labels: {} } as unknown as HostConfig])),
    };
    this.#follow = followWorkspaces(parts);
    this.#keepHome();
  }

  get agents(): ReadonlyMap<string, AgentConfig> {
    return new Map([[agent, { relay: 'relay', workspace: this.workspace } as AgentConfig]]);
  }

  /** The replica of home. */
  get replica(): ReplicaOf {
    return { agent, home: homeOf('relay', this.workspace) };
  }

  /** The life of one command on `host`. */
  /** A container starts there for a command. */
  hold(host: HostName): Disposable {
    return this.#follow.hold({ name: host, labels: {} }, agent);
  }

  /** `mounted`: what the command's container mounts. */
  visit(host: HostName, mounted?: object) {
    const ghost = mounted && { inReplica: mounted };
    const visit = this.#follow.visit({ name: host, labels: {} }, agent, 'exec', ghost);
    if (visit === undefined) throw new Error(`${host} sees the home`);
    return visit;
  }

  /** SIGKILL, if it runs now: the next use starts another. */
  async kill(which: HostName | 'home'): Promise<void> {
    const carrier = this.#carriers.get(which);
    carrier?.child.kill('SIGKILL');
    await carrier?.exited();
  }

  /** It is there and says nothing, as behind a link that was cut. */
  async freeze(which: HostName | 'home'): Promise<void> {
    const pid = this.#carriers.get(which)?.child.pid;
    if (pid === undefined) throw new Error(`no carrier of ${which} runs`);
    await stopAll([pid]);
  }

  /** What rsync would do to make the replica on `host` what home is. */
  difference(host: HostName): string {
    return difference(this.home, this.replicas[host]);
  }

  async states(host: HostName): Promise<readonly [home: CarrierState, replica: CarrierState | undefined]> {
    const home = await this.homes.use(agent, (session) => session.settle(), AbortSignal.timeout(20_000));
    return [home, await this.#carriers.get(host)?.session.settle()];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#carriers.values()].map((carrier) => carrier[Symbol.asyncDispose]()));
    for (const place of [this.home, ...Object.values(this.replicas)]) place[Symbol.dispose]();
  }

  #listen(which: HostName | 'home', { stream }: CarrierProcess): void {
    const write = stream.write.bind(stream);
    stream.write = ((frame: Buffer) => {
      const [type = 0] = frame;
      if (type !== CarrierFrame.entry && type !== CarrierFrame.chunk) this.asked[which].push(type);
      return write(frame);
    }) as typeof stream.write;
  }

  /** As a relay does: whenever the carrier or its lane ends, another begins. */
  #keepHome(): void {
    const how = this.#hostileHome;
    const carrier = new CarrierProcess(how ?? binary, how && hostileReplica, { role: 'home' });
    this.homesBegun += 1;
    this.#carriers.set('home', carrier);
    this.#listen('home', carrier);
    carrier.stream.write(encodeFrame(CarrierFrame.hello, encodeHello(helloOf(this.home))));
    carrier.stream.once('close', () => carrier.child.kill('SIGKILL'));
    carrier.child.once('exit', () => {
      if (!this.#closed) this.#keepHome();
    });
    this.homes.offer('relay', agent, carrier.stream);
  }

  async #removeReplica(host: HostName): Promise<boolean> {
    await this.kill(host);
    const { root, area } = this.replicas[host];
    for (const folder of [root, area]) rmSync(folder, { recursive: true, force: true });
    return true;
  }

  #startReplica(host: HostName): CarrierProcess {
    const how = this.hostile.get(host);
    if (how !== undefined) return new CarrierProcess(how, hostileReplica, { role: 'replica' });
    return new CarrierProcess(this.broken.has(host) ? '/bin/true' : binary, [], { role: 'replica' });
  }

  #damage(host: HostName, { stream }: CarrierProcess): void {
    const is = (type: number) => type === this.damaging.get(host)?.type;
    new FrameDamage(stream).arm(
      (_frame, type) => is(type),
      () => this.damaging.get(host)?.how ?? 'drop',
      new Dice(1),
    );
  }

  async #openReplica(host: HostName, wish: ReplicaWish) {
    this.carried.push(wish);
    const place = this.replicas[host];
    const before = this.#carriers.get(host);
    before?.child.kill('SIGKILL');
    await before?.exited();
    const carrier = this.#startReplica(host);
    this.#carriers.set(host, carrier);
    this.#listen(host, carrier);
    // It sends what it likes.
    if (!this.hostile.has(host)) this.#damage(host, carrier);
    const found = await carrier.session
      .ready(helloOf(place, { role: 'replica' }))
      .catch((error: unknown) => Promise.reject(toWorkspaceError(error, host)));
    const { session, child, stream } = carrier;
    const begin = session.begin.bind(session);
    session.begin = (options) => {
      if (options.force !== undefined && this.failing.has(host)) child.kill('SIGKILL');
      return begin(options);
    };
    const acknowledge = session.acknowledge.bind(session);
    session.acknowledge = (...at) => {
      if (this.leaving.has(host)) child.kill('SIGKILL');
      return acknowledge(...at);
    };
    const alive = () => child.exitCode === null && child.signalCode === null && !stream.destroyed;
    const end = async () => {
      session.end();
      await carrier.exited();
    };
    return { containerId: '', session, found, folder: place.root, alive, end };
  }
}

export const followedWorkspace: WorkspaceConfig & { readonly sync: SyncConfig } = {
  ...{ kind: 'bind', source: '/srv' },
  sync: {
    seenBy: {},
    hostBytes: 2 ** 40,
    carried: { limits: defaultLimits, excludes: [], conflicts: 'keep-agent' },
  },
};

/** Every plain file below a folder, with its bytes as text. */
export function filesOf(root: string, folder = '', found = new Map<string, string>()): Map<string, string> {
  for (const item of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = join(folder, item.name);
    if (item.isDirectory()) filesOf(root, path, found);
    else if (item.isFile()) found.set(path, readFileSync(join(root, path), 'latin1'));
  }
  return found;
}

/** The bytes of everything that was kept beside home. */
export function keptOf({ area }: Place): Set<string> {
  const kept = join(area, 'kept');
  return new Set(existsSync(kept) ? filesOf(kept).values() : []);
}
