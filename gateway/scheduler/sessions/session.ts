import { randomBytes } from 'node:crypto';
import { abortable, onAbort } from '../../../src/abort.ts';
import { ClawrdenError, toClawrdenError } from '../../../src/errors.ts';
import type { InitSession } from '../../../src/init-client/init-session.ts';
import type { Ghost } from '../../ports/engine.ts';
import type { DockerHost } from '../hosts/docker-host.ts';
import type { LeaseRequest } from '../placement/candidates.ts';
import type { Lease, Scheduler } from '../placement/scheduler.ts';

/** Where the container of a session is, and the lease with which it was started. */
export interface SessionStart {
  readonly ghost: Ghost;
  readonly lease: Lease;
}

export interface SessionParts {
  readonly request: LeaseRequest;
  readonly scheduler: Pick<Scheduler, 'lease'>;
  /** Rejects with the signal's reason, and then leaves nothing. */
  readonly start: (signal: AbortSignal) => Promise<SessionStart>;
  /** Once, when it takes no more commands: its container may still be on its way out. */
  readonly onEnd: (session: Session, why: string) => void;
  readonly onStarted: (session: Session) => void;
}

/** A lease that is held as long as a command is there. */
interface Holding {
  readonly lease: Promise<Lease>;
  readonly abort: AbortController;
}

/**
 * A container of one agent that serves its commands, also several at once. While one is there it holds a slot of its
 * host and the budgets of its container, however many there are.
 */
export class Session {
  readonly id = randomBytes(6).toString('hex');
  readonly request: LeaseRequest;
  /** On the monotonic clock, as all times here. */
  readonly since = performance.now();
  readonly #parts: SessionParts;
  readonly #over = new AbortController();
  readonly #ready: Promise<SessionStart>;
  #started: SessionStart | undefined;
  #holding: Holding | undefined;
  #commands = 0;
  #usedAt = performance.now();
  #isRetired = false;
  #gone: Promise<boolean> | undefined;
  readonly #left = Promise.withResolvers<void>();

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.request = parts.request;
    this.#ready = this.#start();
    this.#ready.catch((error: unknown) => this.#failed(toClawrdenError(error)));
  }

  get agent(): string {
    return this.request.shape.agent;
  }

  get host(): DockerHost | undefined {
    return this.#started?.lease.host;
  }

  get ghost(): Ghost | undefined {
    return this.#started?.ghost;
  }

  /** Commands that are in it, or wait for it. */
  get commands(): number {
    return this.#commands;
  }

  /** When a command, or what one left in the background, last did something. */
  get usedAt(): number {
    return this.#usedAt;
  }

  /** Aborts when it has ended; the reason is a ClawrdenError. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** Nothing of it works any more, as far as its host says. */
  get gone(): Promise<void> {
    return this.#left.promise;
  }

  /** It takes commands. */
  get isOpen(): boolean {
    return !this.#isRetired && !this.#over.signal.aborted && (this.host?.state ?? 'ready') === 'ready';
  }

  used(): void {
    this.#usedAt = performance.now();
  }

  /**
   * One command's init in it, ready for a plan. `leave` must follow, once. Rejects with the signal's reason, with why it
   * ended, with why it could not start, or as a lease does.
   */
  async enter(signal: AbortSignal, withinMs: number): Promise<InitSession> {
    this.#commands += 1;
    this.used();
    try {
      const until = AbortSignal.any([signal, this.over]);
      const { ghost, lease } = await abortable(this.#ready, until);
      this.#holding ??= this.#hold(lease.host);
      await abortable(this.#holding.lease, until);
      return await this.#init(ghost, until, withinMs);
    } catch (error) {
      this.leave();
      throw error;
    }
  }

  leave(): void {
    this.#commands -= 1;
    this.used();
    if (this.#commands > 0) return;
    this.#release();
    if (this.#started === undefined) void this.end('nobody waited for its start');
    else if (this.#isRetired) void this.end('it was to end with its last command');
  }

  /** It takes no more commands, and ends with the last one that is there. */
  retire(why: string): void {
    this.#isRetired = true;
    if (this.#commands === 0) void this.end(why);
  }

  /**
   * Everything in it ends now. Resolves when its container is gone; false if it may still be there. Never rejects.
   */
  end(why: string): Promise<boolean> {
    this.#gone ??= this.#end(why);
    return this.#gone;
  }

  /** Who waits for its start hears why there is none. */
  #failed(error: ClawrdenError): void {
    this.#gone ??= this.#end(error.message, error);
  }

  async #end(why: string, reason?: ClawrdenError): Promise<boolean> {
    const text = `the session of agent ${this.agent} ended: ${why}`;
    this.#over.abort(reason ?? new ClawrdenError('session-lost', text));
    this.#parts.onEnd(this, why);
    // If it is starting, its start ends with it.
    const started = await this.#ready.catch(() => undefined);
    const gone = started === undefined || (await started.lease.host.destroy(started.ghost));
    this.#release();
    this.#left.resolve();
    return gone;
  }

  async #start(): Promise<SessionStart> {
    const started = await this.#parts.start(this.over);
    const { ghost, lease } = started;
    this.#started = started;
    this.#holding = { lease: Promise.resolve(lease), abort: new AbortController() };
    const forget = lease.host.onLost((error) => void this.end(error.message));
    onAbort(this.over, forget);
    void ghost.session.untilBroken().then(() => this.end('its container is gone'));
    if (!this.over.aborted) this.#parts.onStarted(this);
    return started;
  }

  #hold(host: DockerHost): Holding {
    const abort = new AbortController();
    const signal = AbortSignal.any([abort.signal, this.over]);
    const request = { ...this.request, only: host };
    const lease = (async () => this.#parts.scheduler.lease(request, signal, () => {}))();
    const holding = { lease, abort };
    lease.catch(() => {
      // Who comes next asks again.
      if (this.#holding === holding) this.#holding = undefined;
    });
    return holding;
  }

  #release(): void {
    const held = this.#holding;
    this.#holding = undefined;
    held?.abort.abort(new ClawrdenError('canceled', 'no command waits for it'));
    held?.lease.then(({ release }) => release()).catch(() => {});
  }

  /** An init that cannot be started there says that nothing more can. */
  async #init(ghost: Ghost, until: AbortSignal, withinMs: number): Promise<InitSession> {
    const late = AbortSignal.timeout(withinMs);
    try {
      return await ghost.execInit(AbortSignal.any([until, late]));
    } catch (error) {
      if (!until.aborted) void this.end('no command could be started in it');
      until.throwIfAborted();
      throw error;
    }
  }
}
