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
      const left = excessOf(sharesOf(kept, limits));
      forget((event) => {
        const excess = left.get(event.agent) ?? 0;
        if (excess <= 0) return false;
        left.set(event.agent, excess - shareOf(event, limits));
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

/** Of what is allowed, by number and by size. */
function shareOf({ bytes }: Kept, limits: EventLogLimits): number {
  return 1 / limits.events + bytes / limits.bytes;
}

function sharesOf(kept: readonly Kept[], limits: EventLogLimits): Map<string, number> {
  const shares = new Map<string, number>();
  for (const event of kept) shares.set(event.agent, (shares.get(event.agent) ?? 0) + shareOf(event, limits));
  return shares;
}

/** What is beyond the one bound for every agent under which all have room, and a little more. */
function excessOf(shares: ReadonlyMap<string, number>): Map<string, number> {
  const sorted = [...shares.values()].sort((x, y) => x - y);
  let room = sorted.reduce((sum, each) => sum + each, 0) * (1 - slack);
  let most = 0;
  for (const [at, share] of sorted.entries()) {
    most = room / (sorted.length - at);
    if (share > most) break;
    room -= share;
  }
  return new Map([...shares].map(([agent, share]) => [agent, share - most]));
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
