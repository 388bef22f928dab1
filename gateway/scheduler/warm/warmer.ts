import type { Logger } from 'pino';
import { toClawrdenError } from '../../../src/errors.ts';
import type { GhostShape } from '../../ports/engine.ts';
import type { DockerHost } from '../hosts/docker-host.ts';
import type { Scheduler } from '../placement/scheduler.ts';
import { type WarmPool, WarmPools, type WarmShape, type WarmWish } from './warm-pools.ts';

/**
 * Keeps ghosts started ahead: as many as gateway.yaml wants, and as many commands as came in the busiest second of
 * the last two minutes.
 */
export interface Warmer {
  /** A command of this shape has come. */
  readonly asked: (shape: WarmShape) => void;
  /** Replaces the wishes. Ghosts whose tag now means another image are ended. */
  readonly wish: (wishes: readonly WarmWish[]) => void;
  /** Forgets what was asked for so far, of these agents or of all. */
  readonly forget: (agents?: ReadonlySet<string>) => void;
  /** Ends the agent's waiting ghosts on this host, and starts none there for 10 minutes. */
  readonly leave: (agent: string, host: string) => void;
  /** Checks soon whether to start a ghost; otherwise it checks every second. */
  readonly poke: () => void;
  /** Ends the waiting ghosts, and starts no more. */
  readonly close: () => void;
}

const lookEveryMs = 1_000;
const againMs = 250;
const pokedMs = 20;
const firstRestMs = 1_000;
const longestRestMs = 60_000;

export function createWarmer(scheduler: Scheduler, startTimeoutMs: number, log: Logger): Warmer {
  const pools = new WarmPools(scheduler.hosts);
  const { schedule, stop } = scheduled(() => look(scheduler, pools, start));
  const start = (host: DockerHost, pool: WarmPool) =>
    void startOn(host, pool, startTimeoutMs, log).finally(() => schedule(pokedMs));
  return {
    asked: (shape) => {
      pools.asked(shape, performance.now());
      schedule(lookEveryMs);
    },
    wish: (wishes) => {
      pools.wish(wishes);
      schedule(pokedMs);
    },
    forget: (agents) => {
      if (agents === undefined) pools.clear();
      else pools.forget(agents);
      schedule(pokedMs);
    },
    leave: (agent, name) => {
      for (const host of scheduler.hosts)
        if (host.name === name)
          for (const ghost of pools.leave(agent, host, performance.now())) void host.release(ghost);
      schedule(pokedMs);
    },
    poke: () => {
      if (pools.size > 0) schedule(pokedMs);
    },
    close: () => {
      stop();
      pools.clear();
      retire(scheduler.hosts, pools, performance.now());
    },
  };
}

/** Ends unwanted ghosts and starts wanted ones. Returns in how many milliseconds to check again, if at all. */
function look(
  { hosts, queued }: Scheduler,
  pools: WarmPools,
  start: (host: DockerHost, pool: WarmPool) => void,
): number | undefined {
  const now = performance.now();
  pools.forgetIdle(now);
  retire(hosts, pools, now);
  if (queued === 0) refill(pools, now, start);
  if (pools.size === 0) return undefined;
  return pools.lacking(now).length > 0 ? againMs : lookEveryMs;
}

function retire(hosts: readonly DockerHost[], pools: WarmPools, now: number): void {
  for (const host of hosts) for (const ghost of pools.unwanted(host, now)) void host.release(ghost);
}

function refill(pools: WarmPools, now: number, start: (host: DockerHost, pool: WarmPool) => void): void {
  for (const { pool, missing } of pools.lacking(now)) {
    for (let left = missing; left > 0 && !pool.placing; left--) {
      const host = pools.hostFor(pool, now);
      if (host === undefined) break;
      const replaced = pools.makeRoom(host, pool);
      if (replaced !== undefined) void host.release(replaced);
      start(host, pool);
    }
  }
}

/** Runs `work` when it is due, at the earliest of all requested times: repeated requests do not delay it. */
function scheduled(work: () => number | undefined): { schedule: (ms: number) => void; stop: () => void } {
  let timer: NodeJS.Timeout | undefined;
  let due = Infinity;
  const run = () => {
    due = Infinity;
    const next = work();
    if (next !== undefined) schedule(next);
  };
  const schedule = (ms: number) => {
    const at = performance.now() + ms;
    if (at >= due) return;
    clearTimeout(timer);
    due = at;
    timer = setTimeout(run, ms).unref();
  };
  return {
    schedule,
    stop: () => {
      clearTimeout(timer);
      due = -Infinity;
    },
  };
}

/** Never rejects, because no caller waits for it. After a failure the pool rests, each time twice as long. */
async function startOn(host: DockerHost, pool: WarmPool, timeoutMs: number, log: Logger): Promise<void> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const placed = host.placed(pool.shape, signal);
    const there = placed instanceof Promise ? await whilePlacing(pool, placed) : placed;
    if (await startsAhead(host, pool, there, signal)) pool.restMs = 0;
  } catch (error) {
    pool.restMs = Math.min(Math.max(pool.restMs * 2, firstRestMs), longestRestMs);
    pool.restsUntil = performance.now() + pool.restMs;
    const { code, message } = toClawrdenError(error);
    const fields = { host: host.name, image: pool.shape.image.reference, code, retryMs: pool.restMs };
    log.warn(fields, `no ghost could be started ahead: ${message}`);
  }
}

async function whilePlacing(pool: WarmPool, placed: Promise<GhostShape>): Promise<GhostShape> {
  pool.placing = true;
  try {
    return await placed;
  } finally {
    pool.placing = false;
  }
}

/** False if the cap on starts is reached. */
async function startsAhead(
  host: DockerHost,
  { shape, key, timeoutMs }: WarmPool,
  placed: GhostShape,
  signal: AbortSignal,
): Promise<boolean> {
  const starting = host.startAhead(shape, placed, { pooled: true, timeoutMs }, signal);
  if (starting === undefined) return false;
  const coming = host.warm.expect(key, shape.agent);
  try {
    host.warm.arrived(coming, await starting);
    return true;
  } catch (error) {
    host.warm.failed(coming);
    throw error;
  }
}
