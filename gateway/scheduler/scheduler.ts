import { ClawrdenError } from '../../src/errors.ts';
import type { DockerHost } from './docker-host.ts';

/** A held slot on a host; disposing gives it back, once. */
export interface Lease {
  readonly host: DockerHost;
  readonly release: () => void;
}

export interface LeaseRequest {
  /** All of these labels must be on the host. */
  readonly labels: Readonly<Record<string, string>>;
  readonly imageId: string;
  /** Hosts where a start has failed, and why; when none is left, the last reason is the answer. */
  readonly avoid: ReadonlyMap<DockerHost, ClawrdenError>;
}

export interface SchedulerLimits {
  readonly running: number;
  readonly queued: number;
  readonly queueTimeoutMs: number;
}

interface Waiting {
  readonly candidates: readonly DockerHost[];
  readonly grant: (lease: Lease) => void;
  readonly onPlace: (place: number) => void;
}

/**
 * Places work on the least loaded host that may take it. A full pool is no error: work waits, first in first out,
 * bounded in number and time.
 */
export class Scheduler {
  readonly hosts: readonly DockerHost[];
  readonly #limits: SchedulerLimits;
  #queue: Waiting[] = [];
  #running = 0;

  constructor(hosts: readonly DockerHost[], limits: SchedulerLimits) {
    this.hosts = hosts;
    this.#limits = limits;
  }

  get queued(): number {
    return this.#queue.length;
  }

  queuedFor(host: DockerHost): number {
    return this.#queue.filter(({ candidates }) => candidates.includes(host)).length;
  }

  /**
   * Throws `no-host`, `image-missing` or the last of `avoid` where no host can take it, `queue-full`,
   * `queue-timeout`, or the signal's reason. `onPlace` is told the place in the queue, from 1, when it changes.
   */
  async lease(request: LeaseRequest, signal: AbortSignal, onPlace: (place: number) => void): Promise<Lease> {
    const candidates = await this.#candidates(request);
    signal.throwIfAborted();
    const free = this.#leastLoaded(candidates);
    if (free !== undefined) return this.#grant(free);
    if (this.#queue.length >= this.#limits.queued) {
      throw new ClawrdenError('queue-full', `${this.#queue.length} commands already wait for a Docker host`);
    }
    return this.#wait(candidates, signal, onPlace);
  }

  /** Called when a slot may have come free or a host has come up. */
  serveQueue(): void {
    const still: Waiting[] = [];
    for (const waiting of this.#queue) {
      const host = this.#leastLoaded(waiting.candidates);
      if (host === undefined) still.push(waiting);
      else waiting.grant(this.#grant(host));
    }
    this.#queue = still;
    this.#tellPlaces();
  }

  async #candidates({ labels, imageId, avoid }: LeaseRequest): Promise<DockerHost[]> {
    const labelled = this.hosts.filter((host) => host.carries(labels));
    const up = labelled.filter((host) => host.state === 'ready');
    if (up.length === 0) throw new ClawrdenError('no-host', noHost(labelled));
    const holding = await Promise.all(up.map(async (host) => ((await host.image(imageId)) ? [host] : [])));
    const qualified = holding.flat();
    if (qualified.length === 0)
      throw new ClawrdenError('image-missing', `no host that may run it has image ${imageId}`);
    const left = qualified.filter((host) => !avoid.has(host));
    if (left.length === 0)
      throw [...avoid.values()].at(-1) ?? new ClawrdenError('no-host', 'no Docker host is left');
    return left;
  }

  #leastLoaded(candidates: readonly DockerHost[]): DockerHost | undefined {
    if (this.#running >= this.#limits.running) return undefined;
    let best: DockerHost | undefined;
    for (const host of candidates)
      if (host.hasFreeSlot && (best === undefined || precedes(host, best))) best = host;
    return best;
  }

  #grant(host: DockerHost): Lease {
    host.running += 1;
    host.granted += 1;
    this.#running += 1;
    let held = true;
    const release = () => {
      if (!held) return;
      held = false;
      host.running -= 1;
      this.#running -= 1;
      this.serveQueue();
    };
    return { host, release };
  }

  #wait(
    candidates: readonly DockerHost[],
    signal: AbortSignal,
    onPlace: (place: number) => void,
  ): Promise<Lease> {
    const granted = Promise.withResolvers<Lease>();
    const waiting: Waiting = { candidates, grant: granted.resolve, onPlace };
    const leave = (reason: unknown) => {
      this.#queue = this.#queue.filter((other) => other !== waiting);
      this.#tellPlaces();
      granted.reject(reason);
    };
    const { queueTimeoutMs } = this.#limits;
    const late = () =>
      leave(new ClawrdenError('queue-timeout', `no Docker host came free in ${queueTimeoutMs / 1000} s`));
    const timer = setTimeout(late, queueTimeoutMs);
    const onAbort = () => leave(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    this.#queue.push(waiting);
    onPlace(this.#queue.length);
    return granted.promise.finally(() => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    });
  }

  #tellPlaces(): void {
    for (const [index, { onPlace }] of this.#queue.entries()) onPlace(index + 1);
  }
}

function precedes(host: DockerHost, other: DockerHost): boolean {
  const difference = shareInUse(host) - shareInUse(other);
  return difference === 0 ? host.granted < other.granted : difference < 0;
}

function shareInUse(host: DockerHost): number {
  return host.running / host.config.slots;
}

function noHost(labelled: readonly DockerHost[]): string {
  if (labelled.length === 0) return 'no Docker host carries the labels that this command needs';
  return `no Docker host is ready: ${labelled.map(({ name, state, problem }) => `${name} is ${state}${problem && ` (${problem})`}`).join(', ')}`;
}
