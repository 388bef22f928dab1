import type { Change, GatewayEvent } from '../ports/events.ts';

export interface EventLogLimits {
  readonly events: number;
  /** Of all events, about. */
  readonly bytes: number;
  readonly ms: number;
}

export const eventLogLimits: EventLogLimits = {
  events: 50_000,
  bytes: 64 * 1024 * 1024,
  ms: 60 * 60 * 1000,
};

/**
 * The newest events, bounded. If there is no room, the oldest of the agent that has most go: who makes many events
 * takes none from who makes few.
 */
export interface EventLog {
  readonly newest: () => number;
  readonly add: (changes: readonly Change[]) => void;
  readonly after: (place: number) => readonly GatewayEvent[];
  readonly isWhole: (place: number, agent: (name: string) => boolean) => boolean;
}

interface Kept extends GatewayEvent {
  readonly bytes: number;
}

/** How much is removed at once: removing reads all that is kept. */
const slack = 0.02;
const readAtOnce = 500;

export function createEventLog(limits = eventLogLimits, now: () => number = Date.now): EventLog {
  let kept: Kept[] = [];
  let [newest, bytes, lostUpTo] = [0, 0, 0];
  /** Of each agent, the place of the newest event that is gone. */
  const lost = new Map<string, number>();

  function forget(isGone: (event: Kept) => boolean): void {
    kept = kept.filter((event) => {
      if (!isGone(event)) return true;
      bytes -= event.bytes;
      lost.set(event.agent, event.place);
      lostUpTo = Math.max(lostUpTo, event.place);
      return false;
    });
  }

  function forgetOld(): void {
    const [oldest] = kept;
    const since = now() - limits.ms;
    if (oldest !== undefined && oldest.at < since - limits.ms * slack) forget(({ at }) => at < since);
  }

  function makeRoom(): void {
    while (kept.length > limits.events || bytes > limits.bytes) {
      const largest = largestOf(kept);
      let left = Math.max(1, Math.ceil(kept.filter(({ agent }) => agent === largest).length * slack));
      forget(({ agent }) => {
        if (agent !== largest || left === 0) return false;
        left -= 1;
        return true;
      });
    }
  }

  return {
    newest: () => newest,
    add: (changes) => {
      for (const change of changes) {
        newest += 1;
        const event = { place: newest, at: now(), ...aboutOf(change), change, bytes: sizeOf(change) };
        kept.push(event);
        bytes += event.bytes;
      }
      forgetOld();
      makeRoom();
    },
    after: (place) => {
      const from = firstBehind(kept, place);
      return kept.slice(from, from + readAtOnce);
    },
    isWhole: (place, agent) =>
      place >= lostUpTo || ![...lost].some(([name, upTo]) => upTo > place && agent(name)),
  };
}

/** By their number and size, as parts of what is allowed. */
function largestOf(kept: readonly Kept[]): string {
  const shares = new Map<string, number>();
  const all = kept.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const { agent, bytes } of kept)
    shares.set(agent, (shares.get(agent) ?? 0) + 1 / kept.length + bytes / all);
  const [largest] = [...shares].reduce((most, each) => (each[1] > most[1] ? each : most));
  return largest;
}

function aboutOf({ type, row }: Change): Pick<GatewayEvent, 'agent' | 'caller'> {
  switch (type) {
    case 'execution':
      return { agent: row.agent, caller: row.caller };
    case 'approval':
    case 'approval-gone':
      return { agent: row.agent, caller: '' };
    case 'agent':
    case 'agent-gone':
      return { agent: row.name, caller: '' };
    default:
      return { agent: '', caller: '' };
  }
}

/** What is around the texts of an event, about. */
const besides = 500;

function sizeOf({ row }: Change): number {
  return besides + JSON.stringify(row).length;
}

function firstBehind(kept: readonly Kept[], place: number): number {
  let [from, to] = [0, kept.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((kept[middle]?.place ?? 0) <= place) from = middle + 1;
    else to = middle;
  }
  return from;
}
