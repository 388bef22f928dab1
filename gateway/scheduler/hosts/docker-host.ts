import type { HostConfig } from '../../../src/config/gateway-config.ts';
import { type ClawrdenError, toClawrdenError } from '../../../src/errors.ts';
import { Gate } from '../../../src/gate.ts';
import type { Engine, Ghost, GhostPurpose, GhostShape } from '../../ports/engine.ts';
import { StartRecord } from '../placement/start-record.ts';
import { WarmGhosts } from '../warm/warm-ghosts.ts';
import { HostImages } from './host-images.ts';
import { MissingWorkspaces } from './missing-workspaces.ts';
import { RecentFault } from './recent-fault.ts';

/** What a ghost takes of its host while it runs. */
export type Need = Pick<GhostShape, 'memoryBytes' | 'cpus'>;

/** With fewer slots too much of a host would be kept free. */
const leastShared = 4;

/** One engine of the pool: its known state, what runs there, and how ghosts start and end. */
export class DockerHost {
  readonly engine: Engine;
  readonly images: HostImages;
  readonly workspaces = new MissingWorkspaces();
  readonly starts = new StartRecord();
  /** How many containers it starts at a time. */
  readonly gate: Gate;
  readonly warm: WarmGhosts;
  /** What was left here before that time, on the monotonic clock, is removed. */
  cleanedAt = Number.NEGATIVE_INFINITY;
  #config: HostConfig;
  #health: 'up' | 'silent' | 'down' = 'down';
  #draining = false;
  #problem = 'not reached yet';
  readonly #fault = new RecentFault();
  #lastTurn = 0;
  #lastGrantAt = 0;
  readonly #used = { slots: 0, memoryBytes: 0, cpus: 0 };
  /** Slots by the agent that uses them. */
  readonly #agents = new Map<string, number>();
  readonly #containers = new Set<string>();
  readonly #onLost = new Set<(error: ClawrdenError) => void>();

  constructor(config: HostConfig, engine: Engine) {
    this.#config = config;
    this.engine = engine;
    this.images = new HostImages(engine);
    this.gate = new Gate(() => (this.starts.onTrial ? 1 : this.#config.starts));
    this.warm = new WarmGhosts((ghost) => void this.destroy(ghost));
  }

  /** From gateway.yaml as it was last loaded. */
  get config(): HostConfig {
    return this.#config;
  }

  get name(): string {
    return this.#config.name;
  }

  get state(): 'ready' | 'draining' | 'down' {
    if (this.#health !== 'up') return 'down';
    return this.#draining ? 'draining' : 'ready';
  }

  /** Also while it is down. */
  get draining(): boolean {
    return this.#draining;
  }

  /** The engine answers; the host may still take no work. */
  get up(): boolean {
    return this.#health === 'up';
  }

  /** The engine counts as lost until it answers again. */
  get down(): boolean {
    return this.#health === 'down';
  }

  /** Why the last ping had no answer, else what went wrong there last; empty if nothing did. */
  get problem(): string {
    return this.#problem || this.#fault.current || this.starts.problem;
  }

  /** An init of it broke its protocol, or did not answer: work goes elsewhere for a while, if it can. */
  get faulty(): boolean {
    return this.#fault.current !== '';
  }

  blame(why: string): void {
    this.#fault.note(why);
  }

  /** The turn in which it last got work, counted over all hosts. */
  get lastTurn(): number {
    return this.#lastTurn;
  }

  /** On the monotonic clock, in milliseconds. */
  get lastGrantAt(): number {
    return this.#lastGrantAt;
  }

  /** Slots in use. */
  get running(): number {
    return this.#used.slots;
  }

  /** Containers that are starting, waiting, running or being removed. */
  get containers(): ReadonlySet<string> {
    return this.#containers;
  }

  /** gateway.yaml has new values for the same engine. */
  configure(config: HostConfig): void {
    this.#config = config;
  }

  /** No new work, because an operator says so or because gateway.yaml no longer names the host. */
  drain(): void {
    this.#draining = true;
  }

  undrain(): void {
    this.#draining = false;
  }

  /** The engine answers. Returns true if it did not before. */
  answered(): boolean {
    const came = !this.up;
    [this.#health, this.#problem] = ['up', ''];
    return came;
  }

  /** A ping had no answer. `isSilent`: the host gets no new work until one has. */
  missed(problem: string, isSilent: boolean): void {
    this.#problem = problem;
    if (isSilent && this.up) this.#health = 'silent';
  }

  carries(labels: Readonly<Record<string, string>>): boolean {
    for (const key in labels) if (this.#config.labels[key] !== labels[key]) return false;
    return true;
  }

  /** False if the host is too small even when it is idle. */
  couldFit({ memoryBytes, cpus }: Need): boolean {
    const { memoryBytes: memory = Infinity, cpus: cores = Infinity } = this.#config;
    return memoryBytes <= memory && cpus <= cores;
  }

  fits({ memoryBytes, cpus }: Need): boolean {
    const { slots, memoryBytes: memory = Infinity, cpus: cores = Infinity } = this.#config;
    const used = this.#used;
    return used.slots < slots && used.memoryBytes + memoryBytes <= memory && used.cpus + cpus <= cores;
  }

  /** One slot is left, and there are enough that it may be kept for an agent that has none here. */
  get isAtLast(): boolean {
    const { slots } = this.#config;
    return slots >= leastShared && this.#used.slots === slots - 1;
  }

  isUsedBy(agent: string): boolean {
    return this.#agents.has(agent);
  }

  /** Holds a slot and the budgets until the returned function is called; `turn` is counted over all hosts. */
  reserve({ agent, memoryBytes, cpus }: Need & Pick<GhostShape, 'agent'>, turn: number): () => void {
    const change = (by: 1 | -1) => {
      const slots = (this.#agents.get(agent) ?? 0) + by;
      if (slots === 0) this.#agents.delete(agent);
      else this.#agents.set(agent, slots);
      this.#used.slots += by;
      this.#used.memoryBytes += by * memoryBytes;
      this.#used.cpus += by * cpus;
    };
    change(1);
    this.#lastTurn = turn;
    this.#lastGrantAt = performance.now();
    return () => change(-1);
  }

  /** See `Engine.placed`: an agent whose workspace takes long there holds up no start of others. */
  placed(shape: GhostShape, signal: AbortSignal): GhostShape | Promise<GhostShape> {
    const placed = this.engine.placed?.(shape, signal) ?? shape;
    if (!(placed instanceof Promise)) return placed;
    return placed.catch((error: unknown) => {
      this.#learnFrom(toClawrdenError(error), shape);
      throw error;
    });
  }

  /** Starts a ghost for one command, in its turn under the cap on starts. Throws like `Engine.startGhost`. */
  async start(shape: GhostShape, purpose: GhostPurpose, signal: AbortSignal): Promise<Ghost> {
    const placed = await this.placed(shape, signal);
    await this.gate.enter(signal);
    return this.#startNow(shape, placed, purpose, signal);
  }

  /** Starts a ghost for which no command waits, of a shape that was placed; `undefined` if the cap on starts is reached. */
  startAhead(
    shape: GhostShape,
    placed: GhostShape,
    purpose: GhostPurpose,
    signal: AbortSignal,
  ): Promise<Ghost> | undefined {
    return this.gate.tryEnter() ? this.#startNow(shape, placed, purpose, signal) : undefined;
  }

  /**
   * The ghost's init has reported its end, or must end now; the container removes itself. Resolves when it is gone,
   * or the engine is lost.
   */
  async release(ghost: Ghost): Promise<void> {
    if (!this.down) await ghost.release();
    this.#forget(ghost);
  }

  /** Removes the ghost in any state. Resolves like above; false if it may still be there. */
  async destroy(ghost: Ghost): Promise<boolean> {
    const gone = !this.down && (await ghost.destroy());
    this.#forget(ghost);
    return gone;
  }

  /** Calls `lost` when the engine is lost, until the returned function is called. */
  onLost(lost: (error: ClawrdenError) => void): () => void {
    this.#onLost.add(lost);
    return () => this.#onLost.delete(lost);
  }

  /**
   * Declares the engine lost: forgets the ghosts that wait there, and ends what starts and runs there with `error`.
   */
  lose(error: ClawrdenError): void {
    this.#health = 'down';
    for (const lost of [...this.#onLost]) lost(error);
    for (const ghost of this.warm.take(() => true)) this.#forget(ghost);
  }

  async #startNow(
    shape: GhostShape,
    placed: GhostShape,
    purpose: GhostPurpose,
    signal: AbortSignal,
  ): Promise<Ghost> {
    const lost = new AbortController();
    const forget = this.onLost((error) => lost.abort(error));
    const began = performance.now();
    try {
      const ghost = await this.engine.startGhost(placed, purpose, AbortSignal.any([signal, lost.signal]));
      this.#containers.add(ghost.containerId);
      this.starts.succeeded(performance.now() - began);
      return ghost;
    } catch (error) {
      this.#learnFrom(toClawrdenError(error), shape);
      throw error;
    } finally {
      forget();
      this.gate.leave();
    }
  }

  #learnFrom(error: ClawrdenError, shape: GhostShape): void {
    if (error.code === 'workspace-missing') this.workspaces.note(shape.mounts, error);
    if (error.code === 'image-missing') void this.images.refresh();
    if (error.code === 'host-lost' || error.code === 'start-timeout') this.starts.failed(error.message);
  }

  /** Nothing can be removed from a host that is down; the sweep removes it when the host is back. */
  #forget(ghost: Ghost): void {
    ghost.session.destroy();
    this.#containers.delete(ghost.containerId);
  }
}
