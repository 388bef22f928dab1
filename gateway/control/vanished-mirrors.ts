import type { ExecutionRecord } from '../ports/execution-record.ts';
import { relayNoticesMs } from './displaced-places.ts';

/** Mirrored commands that have ended here because their relay vanished. It ends them once it notices that, too. */
export interface VanishedMirrors {
  readonly add: (execution: ExecutionRecord) => void;
  /** Those that may still run. */
  readonly running: () => readonly MayRun[];
}

/** An execution that has ended here and may still run where it ran. */
export type MayRun = Pick<ExecutionRecord, 'id' | 'agent' | 'host'>;

interface Vanished extends MayRun {
  /** On the monotonic clock. */
  readonly overAt: number;
}

/** The newest of an agent are enough to say that it is not confirmed, and until when. */
const mostOfAgent = 100;

export function createVanishedMirrors(): VanishedMirrors {
  const byAgent = new Map<string, readonly Vanished[]>();
  const isOpen = ({ overAt }: Vanished) => performance.now() < overAt;
  return {
    add: ({ id, agent, host }) => {
      const others = (byAgent.get(agent) ?? []).filter(isOpen).slice(1 - mostOfAgent);
      byAgent.set(agent, [...others, { id, agent, host, overAt: performance.now() + relayNoticesMs }]);
    },
    running: () => [...byAgent.values()].flat().filter(isOpen),
  };
}
