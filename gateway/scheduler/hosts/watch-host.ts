import { setTimeout as sleep } from 'node:timers/promises';
import { abortable } from '../../../src/abort.ts';
import { ClawrdenError, toClawrdenError } from '../../../src/errors.ts';
import type { EngineEvent } from '../../ports/engine.ts';
import type { DockerHost } from './docker-host.ts';

export interface HostHooks {
  /** The engine answers, and its events arrive from now on. Awaited before the host takes work, until `signal` aborts. */
  readonly onAnswer: (host: DockerHost, gap: Gap, signal: AbortSignal) => Promise<void>;
  readonly onUp: (host: DockerHost) => void;
  readonly onDown: (host: DockerHost) => void;
  readonly onEvent: (host: DockerHost, event: EngineEvent) => void;
}

/**
 * The interval in which no events of an engine arrived, in epoch seconds by its own clock; `from` is absent the first
 * time.
 */
export interface Gap {
  readonly from?: number;
  readonly until: number;
}

export interface HostWatch {
  /** Resolves when the host was tried once. */
  readonly looked: Promise<void>;
  /** Checks at once, if the last look is half a second ago. */
  readonly poke: () => void;
  /** Resolves soon after the signal aborts. */
  readonly ended: Promise<void>;
}

const periodMs = 2_000;
const againMs = 500;
/**
 * Missed pings in a row (3 s each) before the host gets no new work, and before what runs there ends: at most 13 s.
 */
const silentAfter = 2;
const downAfter = 3;
const longestBackoffMs = 15_000;

/**
 * Watches one engine by its events and by a ping every 2 s, until `signal` aborts. If an engine refuses connections
 * it is down at once; an engine that is down is tried again after 1, 2, 4 … 15 s.
 */
export function watchHost(host: DockerHost, hooks: HostHooks, signal: AbortSignal): HostWatch {
  const looked = Promise.withResolvers<void>();
  const events = new EventStream(host, hooks.onEvent, () => poke());
  let pause = new AbortController();
  let missed = 0;

  function poke(): void {
    pause.abort();
  }

  async function begin(): Promise<void> {
    const gap = await events.start(signal);
    try {
      await hooks.onAnswer(host, gap, signal);
    } catch (error) {
      // Else the next look would find the stream open, and the host up without what was to be done.
      events.stop();
      events.heardUntil = gap.from;
      throw error;
    }
  }

  async function look(): Promise<void> {
    try {
      await abortable(host.engine.ping(), signal);
      if (!events.open) await abortable(begin(), signal);
      missed = 0;
      if (host.answered()) hooks.onUp(host);
    } catch (error) {
      if (signal.aborted) return;
      missed += 1;
      miss(host, hooks, toClawrdenError(error), missed);
      // No event arrived between the loss and now.
      if (host.down) events.stop();
    }
  }

  async function watch(): Promise<void> {
    while (!signal.aborted) {
      pause = new AbortController();
      await look();
      looked.resolve();
      // An engine whose events break at once, each time, is not looked at without a rest.
      await rest(againMs, signal);
      await rest(delay(host, missed) - againMs, AbortSignal.any([pause.signal, signal]));
    }
    events.stop();
  }

  return { looked: looked.promise, poke, ended: watch() };
}

async function rest(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal, ref: false }).catch(() => {});
}

function miss(host: DockerHost, { onDown }: HostHooks, error: ClawrdenError, missed: number): void {
  host.missed(error.message, missed >= silentAfter);
  if (host.down || !(refuses(error) || missed >= downAfter)) return;
  host.lose(new ClawrdenError('host-lost', `the Docker host ${host.name} was lost: ${error.message}`));
  onDown(host);
}

/** If the engine is not there or must not be used, there is nothing to wait for. */
function refuses({ code, cause }: ClawrdenError): boolean {
  const system = (cause as NodeJS.ErrnoException | undefined)?.code ?? '';
  return code === 'no-host' || ['ECONNREFUSED', 'ENOENT'].includes(system);
}

function delay(host: DockerHost, missed: number): number {
  if (missed === 0) return periodMs;
  if (!host.down) return againMs;
  const backoffMs = Math.min(1000 * 2 ** Math.min(missed - 1, 10), longestBackoffMs);
  return backoffMs * (0.8 + Math.random() * 0.4);
}

/** Follows the engine's events, and opens the stream again each time it breaks. */
class EventStream {
  open = false;
  /** On the engine's clock. */
  heardUntil: number | undefined;
  readonly #host: DockerHost;
  readonly #onEvent: HostHooks['onEvent'];
  readonly #onBroken: () => void;
  #stop = new AbortController();

  constructor(host: DockerHost, onEvent: HostHooks['onEvent'], onBroken: () => void) {
    this.#host = host;
    this.#onEvent = onEvent;
    this.#onBroken = onBroken;
  }

  /** Resolves when the stream is open, with the interval in which it was not. */
  async start(signal: AbortSignal): Promise<Gap> {
    const from = this.heardUntil;
    const stop = new AbortController();
    this.#stop = stop;
    const opened = Promise.withResolvers<number>();
    const onOpen = (now: number) => {
      this.open = true;
      this.heardUntil = now;
      opened.resolve(now);
    };
    const onEvent = (event: EngineEvent) => {
      if (stop.signal.aborted) return;
      this.heardUntil = event.at;
      this.#onEvent(this.#host, event);
    };
    const watching = this.#host.engine.watch({ onOpen, onEvent }, AbortSignal.any([signal, stop.signal]));
    const onEnd = (error?: unknown) => {
      opened.reject(error);
      if (this.#stop !== stop || stop.signal.aborted) return;
      this.open = false;
      this.#onBroken();
    };
    watching.then(onEnd, onEnd);
    const until = await opened.promise;
    return { ...(from !== undefined && { from }), until };
  }

  stop(): void {
    this.open = false;
    this.#stop.abort();
  }
}
