import type { Logger } from 'pino';
import type { AgentContainer } from '../../../src/agent-container.ts';
import { ClawrdenError, toClawrdenError } from '../../../src/errors.ts';
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
  /** No command of ours runs for this agent, and its container is paused or gone. */
  readonly halted: () => boolean;
}

const containerStates = { active: 'running', paused: 'paused', killed: 'killed' } as const;

export function createHalt({ agent, container, mirrors, engine, log }: HaltOptions): Halt {
  // Unknown at first, so that a request made while no relay ran is carried out now.
  let done: Wish | undefined;
  return {
    apply: async (wish) => {
      if (wish === 'active' && done === 'active') return;
      try {
        if (wish !== 'active') await haltAll(mirrors, new ClawrdenError('canceled', `${agent} is ${wish}`));
        await engine.set(container, containerStates[wish]);
        if (wish !== (done ?? 'active')) log.info({ agent, wish }, 'kill switch');
        done = wish;
      } catch (error) {
        done = undefined;
        log.error({ agent, wish }, `kill switch: ${toClawrdenError(error).message}`);
      }
    },
    halted: () => done === 'paused' || done === 'killed',
  };
}

async function haltAll(mirrors: ReadonlySet<Mirror>, reason: ClawrdenError): Promise<void> {
  for (const mirror of mirrors) mirror.halt(reason);
  await Promise.all([...mirrors].map((mirror) => mirror.end));
}
