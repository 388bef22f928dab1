import type { Logger } from 'pino';
import { ClawrdenError, toClawrdenError } from '../../../src/errors.ts';
import type { AgentEngine } from '../execution/agent-engine.ts';
import type { Mirror } from '../execution/mirror.ts';

export type Wish = 'active' | 'paused' | 'killed';

export interface HaltOptions {
  readonly agent: string;
  readonly container: string;
  /** The agent's commands that run here now. */
  readonly mirrors: ReadonlySet<Mirror>;
  readonly engine: Pick<AgentEngine, 'set'>;
  readonly log: Logger;
}

/** Carries out the kill switch for one agent; new work the gateway refuses. */
export interface Halt {
  /** Resolves, after some 4 s at most, when it is done as far as it could be. */
  readonly apply: (wish: Wish) => Promise<void>;
  /** Nothing of ours runs for this agent, and its container is paused or gone. */
  readonly halted: () => boolean;
}

const containerStates = { active: 'running', paused: 'paused', killed: 'killed' } as const;

export function createHalt({ agent, container, mirrors, engine, log }: HaltOptions): Halt {
  // Unknown at first: what was asked for while no relay ran is done now.
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
