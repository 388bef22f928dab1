import { abortable, deadline, onAbort } from '../../../src/abort.ts';
import { ClawrdenError } from '../../../src/errors.ts';
import type { DockerHost } from '../hosts/docker-host.ts';
import { type LeaseRequest, mayTake, whyNone } from './candidates.ts';
import { FairQueue } from './fair-queue.ts';
import { cost } from './score.ts';

/** A slot on a host, with the budgets of its ghost; released once. */
export interface Lease {
  readonly host: DockerHost;
  readonly release: () => void;
}

export interface SchedulerLimits {
  readonly running: number;
  readonly queued: number;
  readonly queueTimeoutMs: number;
  /** Several agents may come: the last slot of a host is for one that has none there. */
  readonly isShared?: () => boolean;
}

interface Waiting {
  /** The agent whose line this is. */
  readonly owner: string;
  readonly request: LeaseRequest;
  readonly since: number;
  readonly grant: (lease: Lease) => void;
  readonly onPlace: (place: number) => void;
  place: number;
}

/** Once work has waited this long, no other work overtakes it on hosts that could take it. */
const patienceMs = 15_000;
const placesEveryMs = 1_000;

/**
 * Places work on the host where it waits least. A full pool is not an error: work waits, with one line for every
 * agent; the lines take turns, and both the number of items and the time are bounded.
 */
export class Scheduler {
  /** In the order of gateway.yaml; the fleet adds and removes them. */
  readonly hosts: readonly DockerHost[];
  readonly #limits: SchedulerLimits;
  readonly #queue = new FairQueue<Waiting>();
  #running = 0;
  #turn = 0;
  #telling: NodeJS.Timeout | undefined;

  constructor(hosts: readonly DockerHost[], limits: SchedulerLimits) {
    this.hosts = hosts;
    this.#limits = limits;
  }

  get queued(): number {
    return this.#queue.size;
  }

  queuedFor(host: DockerHost): number {
    return [...this.#queue.inTurn()].filter(({ request }) => mayTake(host, request)).length;
  }

  /**
   * Answers at once if nothing has to be asked or waited for. Throws or rejects with `no-host`, `image-missing`,
   * `workspace-missing` or the last of `avoid` if no host can take it, with `queue-full`, `queue-timeout`, or the
   * signal's reason. Calls `onPlace` with the place in the queue, from 1: at first, and then at most once a second
   * when it has changed.
   */
  lease(
    request: LeaseRequest,
    signal: AbortSignal,
    onPlace: (place: number) => void,
  ): Lease | Promise<Lease> {
    signal.throwIfAborted();
    const known = this.hosts.some((host) => mayTake(host, request));
    return known ? this.#take(request, signal, onPlace) : this.#askFirst(request, signal, onPlace);
  }

  /** Called when a slot has become free, or a host has come up. */
  serveQueue(): void {
    while (this.#serveOne());
  }

  async #askFirst(
    request: LeaseRequest,
    signal: AbortSignal,
    onPlace: (place: number) => void,
  ): Promise<Lease> {
    const ready = this.hosts.filter((host) => host.state === 'ready');
    const { image } = request.shape;
    const silent = ready.filter(({ images }) => images.isSilentAbout(image.reference, image.id));
    const learn = (host: DockerHost) => host.images.learn(image);
    const late = Promise.all(silent.map(learn));
    await abortable(Promise.all(ready.filter((host) => !silent.includes(host)).map(learn)), signal);
    // One that did not answer last time is waited for if no other may take it.
    if (!this.hosts.some((host) => mayTake(host, request))) await abortable(late, signal);
    if (!this.hosts.some((host) => mayTake(host, request))) throw whyNone(this.hosts, request);
    return this.#take(request, signal, onPlace);
  }

  #take(
    request: LeaseRequest,
    signal: AbortSignal,
    onPlace: (place: number) => void,
  ): Lease | Promise<Lease> {
    const free = this.#queue.size === 0 ? this.#best(request) : undefined;
    if (free !== undefined) return this.#grant(free, request);
    if (this.#queue.size >= this.#limits.queued) {
      throw new ClawrdenError('queue-full', `${this.#queue.size} commands already wait for a Docker host`);
    }
    return this.#wait(request, signal, onPlace);
  }

  #best(request: LeaseRequest, held?: ReadonlySet<DockerHost>): DockerHost | undefined {
    if (this.#running >= this.#limits.running) return undefined;
    let best: DockerHost | undefined;
    let least = Infinity;
    for (const host of this.hosts) {
      if (!this.#isOpenTo(host, request, held) || !host.fits(request.shape) || !mayTake(host, request))
        continue;
      // A host that has just failed to start a ghost, or to run one, comes last.
      const wait = cost(host, request.key) + (request.behindMs?.(host) ?? 0);
      const price = wait + (host.starts.resting || host.faulty ? 1e9 : 0);
      if (price > least || (price === least && best !== undefined && host.lastTurn >= best.lastTurn))
        continue;
      [best, least] = [host, price];
    }
    return best;
  }

  /** `held`: for work that has waited longer. What is kept for others is not kept for that. */
  #isOpenTo(host: DockerHost, { shape }: LeaseRequest, held?: ReadonlySet<DockerHost>): boolean {
    const isKept = host.isAtLast && this.#limits.isShared?.() === true;
    return isKept ? !host.isUsedBy(shape.agent) : held?.has(host) !== true;
  }

  #grant(host: DockerHost, { shape }: LeaseRequest): Lease {
    this.#turn += 1;
    const free = host.reserve(shape, this.#turn);
    this.#running += 1;
    let held = true;
    const release = () => {
      if (!held) return;
      held = false;
      free();
      this.#running -= 1;
      this.serveQueue();
    };
    return { host, release };
  }

  #serveOne(): boolean {
    if (this.#queue.size === 0 || this.#running >= this.#limits.running) return false;
    const held = new Set<DockerHost>();
    for (const waiting of this.#queue.inTurn()) {
      const host = this.#best(waiting.request, held);
      if (host !== undefined) {
        this.#queue.served(waiting);
        waiting.grant(this.#grant(host, waiting.request));
        return true;
      }
      if (performance.now() - waiting.since < patienceMs) continue;
      for (const other of this.hosts) if (mayTake(other, waiting.request)) held.add(other);
    }
    return false;
  }

  async #wait(request: LeaseRequest, signal: AbortSignal, onPlace: (place: number) => void): Promise<Lease> {
    const granted = Promise.withResolvers<Lease>();
    const owner = request.shape.agent;
    const since = performance.now();
    const waiting: Waiting = { owner, request, since, grant: granted.resolve, onPlace, place: 0 };
    const { queueTimeoutMs } = this.#limits;
    const late = () =>
      new ClawrdenError('queue-timeout', `no Docker host came free in ${queueTimeoutMs / 1000} s`);
    using until = deadline(queueTimeoutMs, late, signal);
    using _ = onAbort(until.signal, () => {
      if (this.#queue.remove(waiting)) granted.reject(until.signal.reason);
    });
    this.#queue.push(waiting);
    this.serveQueue();
    this.#tellPlaces();
    return await granted.promise;
  }

  /** With a thousand waiting, not every move of the queue is reported. */
  #tellPlaces(): void {
    let place = 0;
    for (const waiting of this.#queue.inTurn()) {
      place += 1;
      if (waiting.place === 0 || this.#telling === undefined) tell(waiting, place);
    }
    if (this.#queue.size === 0) return;
    this.#telling ??= setTimeout(() => {
      this.#telling = undefined;
      this.#tellPlaces();
    }, placesEveryMs).unref();
  }
}

function tell(waiting: Waiting, place: number): void {
  if (waiting.place === place) return;
  waiting.place = place;
  waiting.onPlace(place);
}
