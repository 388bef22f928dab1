import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { abortable, deadline } from '../../../src/abort.ts';
import { abortableSleep } from '../../../src/abortable-sleep.ts';
import type { HostConfig } from '../../../src/config/gateway-config.ts';
import type { ClawrdenError } from '../../../src/errors.ts';
import { latestOnly } from '../../../src/latest-only.ts';
import type { Engine } from '../../ports/engine.ts';
import type { Prepared } from '../../ports/prepared.ts';
import type { Scheduler } from '../placement/scheduler.ts';
import type { Warmer } from '../warm/warmer.ts';
import { DockerHost } from './docker-host.ts';
import type { LateExits } from './late-exits.ts';
import { sameEngine } from './same-engine.ts';
import { createSweeps, type Sweeps } from './sweeps.ts';
import { type HostHooks, type HostWatch, watchHost } from './watch-host.ts';

/** The engines of gateway.yaml, each watched and kept clean. */
export interface Fleet {
  /**
   * Opens the engines of hosts that these have anew; throws if one cannot be used. To apply it makes the pool match
   * gateway.yaml: if a host is gone from the file, it takes no work and leaves when its work has ended.
   */
  readonly prepare: (configs: readonly HostConfig[]) => Prepared;
  /** Both at once. */
  readonly apply: (configs: readonly HostConfig[]) => void;
  /** Stops or allows new work for the host; `undefined` if there is no host of that name. */
  readonly setDraining: (name: string, draining: boolean) => DockerHost | undefined;
  /** Checks a host at once, because a command saw it fail. */
  readonly suspect: (host: DockerHost) => void;
  /** Asks the hosts for images that are not known yet. */
  readonly preload: () => void;
  /** Hosts where what an earlier gateway left was not removed yet. */
  readonly uncleaned: () => readonly string[];
  /** Resolves when every host was tried once, after 15 s at the latest. */
  readonly looked: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface FleetParts {
  /** The scheduler's own list; the fleet maintains it. */
  readonly hosts: DockerHost[];
  readonly scheduler: Scheduler;
  readonly warmer: Warmer;
  readonly lateExits: LateExits;
  readonly openEngine: (config: HostConfig) => Engine;
  /** Images that the policy names: the fleet asks for them before a command needs them. */
  readonly images: () => readonly string[];
  /** Called when a host is lost: what waits for it elsewhere ends. */
  readonly onLost?: ((host: string, error: ClawrdenError) => void) | undefined;
  /** Called when the meaning of a tag may have changed. */
  readonly onImages: () => void;
  /** The hosts that an operator has drained. */
  readonly drained: ReadonlySet<string>;
  readonly log: Logger;
}

interface Member {
  readonly host: DockerHost;
  readonly watch: HostWatch;
  readonly stop: AbortController;
  readonly cleaning: NodeJS.Timeout;
}

const cleanEveryMs = 30_000;
const lookedWithinMs = 15_000;
const leavingLookMs = 500;
const imagesRestMs = 500;

export function createFleet(parts: FleetParts): Fleet {
  const sweeps = createSweeps(parts);
  const state: State = {
    ...{ ...parts, sweeps },
    members: new Map(),
    leaving: new Set(),
    closing: new AbortController(),
    hooks: hostHooks(parts, sweeps),
  };
  const { members } = state;
  return {
    prepare: (configs) => prepare(state, configs),
    apply: (configs) => prepare(state, configs).apply(),
    setDraining: (name, draining) => {
      const host = members.get(name)?.host;
      if (host === undefined) return undefined;
      if (draining) host.drain();
      else host.undrain();
      resume(parts);
      return host;
    },
    suspect: (host) => members.get(host.name)?.watch.poke(),
    preload: () => {
      for (const host of parts.hosts) if (host.up) void preload(host, parts);
    },
    uncleaned: () => parts.hosts.flatMap(({ cleanedAt, name }) => (cleanedAt === -Infinity ? [name] : [])),
    looked: async () => {
      using until = deadline(lookedWithinMs, () => undefined);
      const looked = Promise.all([...members.values()].map(({ watch }) => watch.looked));
      await abortable(looked, until.signal).catch(() => {});
    },
    close: async () => {
      state.closing.abort();
      await Promise.all([...members.values()].map(closeMember));
      await Promise.all(state.leaving);
    },
  };
}

interface State extends FleetParts {
  readonly members: Map<string, Member>;
  /** Hosts that gateway.yaml no longer names, until their work has ended. */
  readonly leaving: Set<Promise<void>>;
  /** The gateway stops: no host's work is waited for any more. */
  readonly closing: AbortController;
  readonly hooks: HostHooks;
  readonly sweeps: Sweeps;
}

function prepare(state: State, configs: readonly HostConfig[]): Prepared {
  const opened = newHosts(state, configs);
  return {
    apply: () => {
      apply(state, configs, opened.splice(0));
      resume(state);
    },
    [Symbol.dispose]: () => closeAll(opened),
  };
}

function apply(state: State, configs: readonly HostConfig[], joining: readonly NewHost[]): void {
  const { hosts, members } = state;
  const wanted = new Map(configs.map((config) => [config.name, config]));
  for (const member of [...members.values()]) {
    const config = wanted.get(member.host.name);
    if (config === undefined || !sameEngine(config, member.host.config)) retire(state, member);
    else member.host.configure(config);
  }
  for (const each of joining) join(state, each);
  const inOrder = configs.flatMap(({ name }) => members.get(name)?.host ?? []);
  const last = hosts.filter((host) => !inOrder.includes(host));
  hosts.splice(0, hosts.length, ...inOrder, ...last);
}

interface NewHost {
  readonly config: HostConfig;
  readonly engine: Engine;
}

function newHosts({ members, openEngine }: State, configs: readonly HostConfig[]): NewHost[] {
  const opened: NewHost[] = [];
  try {
    for (const config of configs) {
      const member = members.get(config.name);
      if (member === undefined || !sameEngine(config, member.host.config))
        opened.push({ config, engine: openEngine(config) });
    }
    return opened;
  } catch (error) {
    closeAll(opened);
    throw error;
  }
}

function closeAll(opened: readonly NewHost[]): void {
  for (const { engine } of opened) engine.close();
}

function join(state: State, { config, engine }: NewHost): void {
  const host = new DockerHost(config, engine);
  if (state.drained.has(host.name)) host.drain();
  const stop = new AbortController();
  const cleaning = setInterval(() => {
    if (host.up && !state.sweeps.isRunning(host)) void clean(host, state, stop.signal);
  }, cleanEveryMs).unref();
  host.onLost((error) => state.onLost?.(host.name, error));
  const watch = watchHost(host, state.hooks, stop.signal);
  state.members.set(host.name, { host, stop, cleaning, watch });
  engine.joined?.();
}

function retire({ members, leaving, closing, hosts, log }: State, member: Member): void {
  const { host } = member;
  members.delete(host.name);
  host.drain();
  log.info({ host: host.name, running: host.running }, 'host is leaving');
  const gone = emptied(member, closing.signal, log).finally(() => {
    const at = hosts.indexOf(host);
    if (at >= 0) hosts.splice(at, 1);
    leaving.delete(gone);
  });
  leaving.add(gone);
}

/** Gives freed slots to waiting work. */
function resume({ hosts, scheduler, warmer }: FleetParts): void {
  for (const host of hosts) host.gate.open();
  scheduler.serveQueue();
  warmer.poke();
}

/** Once everything is gone that nobody owns, no more is heard of what was lost there before. */
async function clean(
  host: DockerHost,
  { sweeps, lateExits }: Pick<State, 'sweeps' | 'lateExits'>,
  signal: AbortSignal,
): Promise<void> {
  if (await sweeps.sweep(host, signal)) lateExits.giveUp(host);
}

function hostHooks(parts: FleetParts, sweeps: Sweeps): HostHooks {
  const { scheduler, lateExits, log } = parts;
  const following = new WeakMap<DockerHost, ReturnType<typeof followImages>>();
  return {
    onAnswer: async (host, gap, signal) => {
      await lateExits.recall(host, gap);
      await clean(host, { sweeps, lateExits }, signal);
      host.workspaces.forget();
      await Promise.all([host.images.refresh(), preload(host, parts)]);
    },
    onUp: (host) => {
      log.info({ host: host.name }, 'host is up');
      host.gate.open();
      scheduler.serveQueue();
      parts.onImages();
    },
    onDown: (host) => {
      log.error({ host: host.name, problem: host.problem }, 'host is down');
      parts.onImages();
    },
    onEvent: (host, event) => {
      lateExits.hear(host, event);
      if (event.type === 'volumes-changed') host.workspaces.forget();
      if (event.type !== 'images-changed') return;
      const follow = following.get(host) ?? followImages(host, parts);
      following.set(host, follow);
      follow(event);
    },
  };
}

/** Asks again for a host's images: events that come meanwhile, however many, are one more time, after a rest. */
function followImages(host: DockerHost, { scheduler, warmer, onImages, log }: FleetParts) {
  const follow = async (): Promise<void> => {
    await host.images.refresh();
    scheduler.serveQueue();
    onImages();
    warmer.poke();
    await sleep(imagesRestMs, undefined, { ref: false });
  };
  return latestOnly(follow, (error) =>
    log.error({ host: host.name, error }, 'its images were not looked at again'),
  );
}

/** Asks before a command comes for what the command will need to know. */
async function preload(host: DockerHost, { images }: FleetParts): Promise<void> {
  await Promise.all(images().map((reference) => host.images.find(reference)));
}

/** Waits until its running work has ended, and everything of ours there is removed, unless the engine is lost. */
async function emptied(member: Member, closing: AbortSignal, log: Logger): Promise<void> {
  const { host } = member;
  const isUsed = () => host.running > 0 || host.warm.coming > 0 || (host.containers.size > 0 && host.up);
  for (;;) {
    for (const ghost of host.warm.take(() => true)) void host.release(ghost);
    if (closing.aborted || !isUsed()) break;
    await abortableSleep(leavingLookMs, closing).catch(() => {});
  }
  await closeMember(member);
  log.info({ host: host.name }, 'host has left');
}

async function closeMember({ host, watch, stop, cleaning }: Member): Promise<void> {
  clearInterval(cleaning);
  stop.abort();
  await watch.ended;
  host.engine.close();
}
