import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import { isSocketPath, type RelayConfig, socketTooLong } from '../../../src/config/relay-config.ts';
import {
  type AgentPlaces,
  listedPlaces,
  type ToldAgent,
  toldPlaces,
} from '../../../src/config/told-agents.ts';
import { createFindOutOfBounds, type FindOutOfBounds } from '../../../src/config/workspace-bounds.ts';
import type { ClawrdenError } from '../../../src/errors.ts';
import type { AgentState } from '../../../src/gen/clawrden/v1/relay.ts';
import { createInTurn } from '../../../src/in-turn.ts';
import { endSandboxes } from '../../../src/sandbox-mark.ts';
import type { KeptEach } from '../control/keep-each.ts';
import type { SynchronizedAgents } from '../control/synchronize.ts';
import type { WayOutWish } from '../way-out/keep-way-out.ts';
import { type HomeWish, homeWish } from '../workspace/home-wish.ts';
import type { Homes } from '../workspace/keep-homes.ts';
import { notKept } from '../workspace/not-kept.ts';
import type { ServedAgent } from './serve-agent.ts';
import { takeTold } from './take-told.ts';
import type { ToldFile } from './told-file.ts';

export interface AgentSetParts {
  readonly config: RelayConfig;
  readonly serve: (places: AgentPlaces) => ServedAgent;
  readonly file: ToldFile;
  readonly homes: Pick<Homes, 'hold' | 'problems'>;
  readonly waysOut: Pick<KeptEach<WayOutWish>, 'hold' | 'problems'>;
  readonly log: Logger;
}

/** All agents of this relay: those that relay.yaml names, as it names them, and those that the gateway told of. */
export interface AgentSet extends SynchronizedAgents {
  /** Halts whom the gateway last told to be halted, if it has told nothing since this start. */
  readonly haltAsBefore: () => void;
  readonly drain: () => Promise<void>;
  readonly cancelAll: (reason: ClawrdenError) => void;
}

/** Serves relay.yaml's agents, and what the gateway told before. Rejects if one of relay.yaml cannot be served. */
export async function openAgentSet(parts: AgentSetParts): Promise<AgentSet> {
  const set = new Agents(parts);
  await set.listen();
  return set;
}

class Agents implements AgentSet {
  readonly #parts: AgentSetParts;
  readonly #findOutOfBounds: FindOutOfBounds;
  readonly #listed: readonly ServedAgent[];
  readonly #told = new Map<string, ServedAgent>();
  #refused: ReadonlyMap<string, string> = new Map();
  /** Agents whose workspace cannot be read in what the gateway told last, with the reason. */
  #faulty: ReadonlyMap<string, string> = new Map();
  /** Agents whose workspace is not kept, with the reason. */
  #unkept: ReadonlyMap<string, string> = new Map();
  #known: readonly ToldAgent[] = [];
  /** Why that is not on the disk, or empty. */
  #unwritten = '';
  /** A change begins when the one before it is over. */
  readonly #oneAtATime = createInTurn();

  constructor(parts: AgentSetParts) {
    this.#parts = parts;
    this.#findOutOfBounds = createFindOutOfBounds(parts.config);
    const { config, serve } = parts;
    this.#listed = config.agents.map((agent) => serve(listedPlaces(config, agent)));
  }

  async listen(): Promise<void> {
    for (const agent of this.#listed) await agent.listen();
    this.#known = await this.#parts.file.read();
    await this.#take();
  }

  all = (): readonly ServedAgent[] => [...this.#listed, ...this.#told.values()];

  refused = (): ReadonlyMap<string, string> =>
    new Map([
      ...[...this.#parts.waysOut.problems(), ...this.#parts.homes.problems()],
      ...[...this.#unkept, ...this.#refused],
    ]);

  follow = (told: readonly AgentState[]): Promise<void> =>
    this.#inTurn(async () => {
      const { file, log } = this.#parts;
      const before = this.#known;
      const taken = takeTold(told, before);
      for (const line of taken.faults) log.error(line);
      this.#known = taken.agents;
      this.#faulty = taken.unkept;
      // First on the disk: a relay that is killed now must not serve a removed agent when it starts.
      if (!isDeepStrictEqual(this.#known, before) || this.#unwritten !== '')
        this.#unwritten = await file.write(this.#known);
      await this.#take();
    });

  mend = (): Promise<void> =>
    this.#inTurn(async () => {
      if (this.#unwritten !== '') this.#unwritten = await this.#parts.file.write(this.#known);
      await this.#take();
    });

  unwritten = (): string => this.#unwritten;

  haltAsBefore = (): void => {
    const wishes = new Map(this.#known.map(({ name, halt }) => [name, halt]));
    for (const { name, halt } of this.all()) {
      const wish = wishes.get(name);
      if (wish !== undefined) void halt.applyIfUntold(wish);
    }
  };

  drain = async (): Promise<void> => void (await Promise.all(this.all().map((agent) => agent.drain())));

  cancelAll = (reason: ClawrdenError): void => {
    for (const agent of this.all()) agent.cancelAll(reason);
  };

  #inTurn(change: () => Promise<void>): Promise<void> {
    const { log } = this.#parts;
    return this.#oneAtATime(change).catch((error: Error) =>
      log.error(`the agents could not be brought up to date: ${error.message}`),
    );
  }

  /** Makes what is served match what is known. */
  async #take(): Promise<void> {
    const { config } = this.#parts;
    const outOfBounds = [...(await this.#findOutOfBounds(this.#known))];
    const unkept = outOfBounds.map(([name, problem]) => [name, notKept(problem)] as const);
    this.#setUnkept(new Map([...unkept, ...this.#faulty]));
    const own = this.#known.filter(({ name }) => config.agents.every((agent) => agent.name !== name));
    const places = own.map((agent) => toldPlaces(config, agent));
    const refused = places.flatMap((place) => refusalsOf(place, config));
    this.#setRefused(new Map(refused));
    const wanted = places.filter(({ agent }) => !this.#refused.has(agent.name));
    const names = new Set(wanted.map(({ agent }) => agent.name));
    await Promise.all(
      [...this.#told.keys()].filter((name) => !names.has(name)).map((name) => this.#drop(name)),
    );
    await Promise.all(wanted.map((place) => this.#serve(place)));
    await endSandboxes(
      config,
      this.#known.flatMap(({ name, halt }) => (halt === 'killed' ? [name] : [])),
    );
    this.#parts.homes.hold(this.#homes());
    this.#parts.waysOut.hold(this.#waysOut());
  }

  /** Agents that have one and may use it, of those that are served. */
  #waysOut(): ReadonlyMap<string, WayOutWish> {
    const { config } = this.#parts;
    return new Map(
      this.#known.flatMap((told): [string, WayOutWish][] => {
        if (told.wayOut === undefined || told.halt !== undefined || this.#refused.has(told.name)) return [];
        const listed = config.agents.find(({ name }) => name === told.name);
        const { agent } = listed === undefined ? toldPlaces(config, told) : listedPlaces(config, listed);
        return [[told.name, { container: agent.container, user: agent.users[0] }]];
      }),
    );
  }

  /** Workspaces of which this relay keeps the home, by agent. The carrier is the agent's first user. */
  #homes(): ReadonlyMap<string, HomeWish> {
    const { agents: listed } = this.#parts.config;
    return new Map(
      this.#known.flatMap(({ name, users: told, workspace }) => {
        if (workspace === undefined || this.#unkept.has(name)) return [];
        const [user] = listed.find((agent) => agent.name === name)?.users ?? told;
        return [[name, homeWish(workspace, user)]];
      }),
    );
  }

  #setUnkept(unkept: ReadonlyMap<string, string>): void {
    this.#logNew(unkept, this.#unkept, '');
    this.#unkept = unkept;
  }

  #setRefused(refused: ReadonlyMap<string, string>): void {
    this.#logNew(refused, this.#refused, 'not served: ');
    this.#refused = refused;
  }

  #logNew(now: ReadonlyMap<string, string>, before: ReadonlyMap<string, string>, what: string): void {
    for (const [agent, problem] of now)
      if (before.get(agent) !== problem) this.#complain(agent, `${what}${problem}`);
  }

  async #drop(name: string): Promise<void> {
    const agent = this.#told.get(name);
    this.#told.delete(name);
    this.#parts.log.info(
      { agent: name },
      'the gateway no longer names it: its socket is gone, its folder stays',
    );
    await agent?.remove().catch((error: Error) => this.#complain(name, error.message));
  }

  async #serve(place: AgentPlaces): Promise<void> {
    const { name, users } = place.agent;
    const known = this.#told.get(name) ?? this.#parts.serve(place);
    this.#told.set(name, known);
    known.setUsers(users);
    const before = known.problem();
    if (before === '') return;
    await known.listen().catch(({ message }: Error) => {
      if (message !== before) this.#complain(name, message);
    });
    if (known.problem() === '') this.#parts.log.info({ agent: name }, 'served, as the gateway told');
  }

  #complain(agent: string, problem: string): void {
    this.#parts.log.error({ agent }, problem);
  }
}

/** Why an agent that the gateway told of cannot have a socket at its place. */
function refusalsOf({ agent }: AgentPlaces, { agents }: RelayConfig): [string, string][] {
  const { name, socket } = agent;
  const near = agents.find((each) => dirname(each.socket) === dirname(socket));
  if (near !== undefined) return [[name, `its folder has agent ${near.name}'s socket, as relay.yaml says`]];
  return isSocketPath(socket) ? [] : [[name, `${socketTooLong}: ${socket}`]];
}
