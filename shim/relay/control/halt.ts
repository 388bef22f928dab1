import type { Logger } from 'pino';
import type { AgentContainer } from '../../../src/agent-container.ts';
import { ClawrdenError, toClawrdenError } from '../../../src/errors.ts';
import { createInTurn } from '../../../src/in-turn.ts';
import type { AgentEngine } from '../execution/agent-engine.ts';
import type { Mirror } from '../execution/mirror.ts';

export type Wish = 'active' | 'paused' | 'killed';

export interface HaltOptions {
  readonly agent: string;
  readonly container: AgentContainer;
  /** The agent's commands that run here now. */
  readonly mirrors: ReadonlySet<Mirror>;
  readonly engine: Pick<AgentEngine, 'set'>;
  readonly log: Logger;
}

/** Carries out the kill switch for one agent. The gateway refuses new work itself. */
export interface Halt {
  /** Resolves after about 4 s at most, when everything that could be done is done. */
  readonly apply: (wish: Wish) => Promise<void>;
  /** The same of a wish from before this start, unless another was applied already. */
  readonly applyIfUntold: (wish: Wish) => Promise<void>;
  /** Whether `again` may have something to do. */
  readonly isKept: () => boolean;
  /** Carries out the last wish once more if it failed, or if the agent is to halt and `isAwake`. Never rejects. */
  readonly again: (isAwake: boolean) => Promise<void>;
  /** No command of ours runs for this agent, and its container is paused or gone. */
  readonly halted: () => boolean;
  /** Why the agent is not halted though it should be, or empty. */
  readonly problem: () => string;
}

const containerStates = { active: 'running', paused: 'paused', killed: 'killed' } as const;

export function createHalt(options: HaltOptions): Halt {
  return new AgentHalt(options);
}

class AgentHalt implements Halt {
  readonly #options: HaltOptions;
  #wish: Wish | undefined;
  /** What was carried out. Unknown at first, so that a request made while no relay ran is carried out now. */
  #done: Wish | undefined;
  #problem = '';
  #isRepeating = false;
  /** A wish is carried out when the one before it is. */
  readonly #inTurn = createInTurn();

  constructor(options: HaltOptions) {
    this.#options = options;
  }

  apply = (wish: Wish): Promise<void> => this.#inTurn(() => this.#apply(wish));

  applyIfUntold = (wish: Wish): Promise<void> =>
    this.#inTurn(async () => {
      if (this.#wish !== undefined) return;
      this.#options.log.warn(
        { agent: this.#options.agent, wish },
        'the gateway does not answer: the agent is halted as it was before this start',
      );
      await this.#apply(wish);
    });

  isKept = (): boolean => this.#wish !== undefined && (this.#wish !== 'active' || this.#problem !== '');

  again = async (isAwake: boolean): Promise<void> => {
    // One that waits for its engine is not asked for a second time.
    if (this.#isRepeating) return;
    this.#isRepeating = true;
    await this.#inTurn(async () => {
      if (this.#wish === undefined || !this.isKept()) return;
      if (isAwake || this.#problem !== '') await this.#carryOut(this.#wish);
    });
    this.#isRepeating = false;
  };

  halted = (): boolean => this.#done === 'paused' || this.#done === 'killed';

  problem = (): string => (this.#wish === 'active' ? '' : this.#problem);

  async #apply(wish: Wish): Promise<void> {
    if (wish === 'active' && this.#done === 'active') return;
    const { agent, mirrors, log } = this.#options;
    if (wish !== (this.#wish ?? 'active')) log.info({ agent, wish }, 'kill switch');
    if (wish !== this.#done) this.#done = undefined;
    this.#wish = wish;
    if (wish !== 'active') await haltAll(mirrors, new ClawrdenError('canceled', `${agent} is ${wish}`));
    await this.#carryOut(wish);
  }

  async #carryOut(wish: Wish): Promise<void> {
    const { agent, container, engine, log } = this.#options;
    const before = this.#problem;
    try {
      await engine.set({ agent, container }, containerStates[wish]);
      this.#done = wish;
      this.#problem = '';
    } catch (error) {
      this.#done = undefined;
      this.#problem = toClawrdenError(error).message;
      if (this.#problem !== before) log.error({ agent, wish }, `kill switch: ${this.#problem}`);
    }
  }
}

async function haltAll(mirrors: ReadonlySet<Mirror>, reason: ClawrdenError): Promise<void> {
  for (const mirror of mirrors) mirror.halt(reason);
  await Promise.all([...mirrors].map((mirror) => mirror.end));
}
