import { Gate } from '../../src/gate.ts';

/** Pages are held in memory while they are read: so many at once, of one agent and of all. */
const mostOfAgent = 4;
const most = 24;
/** Besides these, so many first ones of an agent: agents that keep theirs for long leave room for others. */
const mostFirst = 8;

export interface FetchRoom {
  /** Waits for its turn. Resolves with what ends it. Rejects with the signal's reason. */
  readonly enter: (agent: string, signal: AbortSignal) => Promise<() => void>;
}

export function createFetchRoom(): FetchRoom {
  const all = new Gate(() => most);
  const first = new Gate(() => mostFirst);
  const ofAgents = new Map<string, Gate>();
  return {
    enter: async (agent, signal) => {
      const own = ofAgents.get(agent) ?? new Gate(() => mostOfAgent);
      ofAgents.set(agent, own);
      const leaveOwn = () => {
        own.leave();
        if (own.load === 0) ofAgents.delete(agent);
      };
      const isFirst = own.load === 0;
      await own.enter(signal);
      const gate = isFirst && all.load >= most ? first : all;
      try {
        await gate.enter(signal);
      } catch (error) {
        leaveOwn();
        throw error;
      }
      return () => {
        gate.leave();
        leaveOwn();
      };
    },
  };
}
