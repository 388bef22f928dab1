import { brokenRule, ReplicaUnreachable } from './faults.ts';
import type { Slot } from './slot.ts';

/** How long a host is left out: at first, and twice as long each time, up to the most. */
const firstMs = 30_000;
const mostMs = 10 * 60_000;

/** What its replica did: held up exchanges with others, sent what no carrier may send, or took the room of the host's disk. */
export type LeftOutFor = 'held-up' | 'broke-rules' | 'filled-disk';

export interface LeftOutTold {
  readonly agent: string;
  readonly host: string;
  readonly what: LeftOutFor;
  readonly text: string;
}

interface Entry {
  readonly what: LeftOutFor;
  readonly ms: number;
  readonly until: number;
  readonly text: string;
}

type Pair = Pick<Slot, 'agent' | 'host'>;

/** Stands for all agents. */
const everyAgent = '';

/**
 * Hosts on which no command of a followed agent begins for a while. That rules were broken is said by one of two carriers,
 * of which either may lie, and how long a replica is waited for may be its own agent's doing: both count for that agent.
 * What is measured with two agents at the same time counts for all.
 */
export class LeftOut {
  readonly #onTold: (told: LeftOutTold) => void;
  /** By host, and then by agent. */
  readonly #hosts = new Map<string, Map<string, Entry>>();

  constructor(onTold: (told: LeftOutTold) => void = () => {}) {
    this.#onTold = onTold;
  }

  /** It held up exchanges with other hosts: the agent does not use it. Returns what people are told. */
  heldUp({ agent, host }: Pair): string {
    const what = 'held-up';
    const one = `the replica of agent ${agent} on ${host} held up exchanges with other hosts`;
    const text = this.#leave({ agent, host, what, text: one }, agent, 'the agent uses');
    if (!this.#isHeldUpByOthers(host, agent)) return text;
    const all = `replicas of several agents on ${host} held up exchanges with other hosts`;
    return this.#leave({ agent, host, what, text: all }, everyAgent, 'followed agents use');
  }

  /** The error to throw in place of `error`: if the rules were broken, the agent does not use the host. */
  blamed({ agent, host }: Pair, error: unknown): unknown {
    const rule = brokenRule(error);
    if (rule === undefined) return error;
    const why = `the replica of agent ${agent} on ${host} broke the rules (${rule})`;
    const text = this.#leave({ agent, host, what: 'broke-rules', text: why }, agent, 'the agent uses');
    return new ReplicaUnreachable(text, { cause: error });
  }

  /** It took the room on the host's disk that others need. */
  filled({ agent, host }: Pair, text: string): void {
    this.#leave({ agent, host, what: 'filled-disk', text }, agent, 'the agent uses');
  }

  /** It was another. */
  forgive({ agent, host }: Pair): void {
    const agents = this.#hosts.get(host);
    if (agents?.get(agent)?.what === 'filled-disk') agents.delete(agent);
  }

  /** It did so not long ago. */
  hasFilled({ agent, host }: Pair): boolean {
    const entry = this.#hosts.get(host)?.get(agent);
    return entry?.what === 'filled-disk' && performance.now() < entry.until + mostMs;
  }

  /** Why the agent does not use the host; `undefined` if it does. */
  why({ agent, host }: Pair): string | undefined {
    const agents = this.#hosts.get(host);
    return inForce(agents?.get(everyAgent)) ?? inForce(agents?.get(agent));
  }

  /** Why any agent does not use it. */
  problem(host: string): string {
    const agents = this.#hosts.get(host);
    const forAll = inForce(agents?.get(everyAgent));
    if (forAll !== undefined) return forAll;
    const each = [...(agents?.values() ?? [])].flatMap((entry) => inForce(entry) ?? []);
    const [first = '', ...more] = each;
    return more.length === 0 ? first : `${first}; and ${more.length} more agents do`;
  }

  /** A person says that the host may be tried again. */
  forget(host: string): void {
    this.#hosts.delete(host);
  }

  #isHeldUpByOthers(host: string, agent: string): boolean {
    const entries = [...(this.#hosts.get(host) ?? [])].filter(
      ([each]) => each !== agent && each !== everyAgent,
    );
    return entries.some(([, entry]) => entry.what === 'held-up' && inForce(entry) !== undefined);
  }

  #leave(told: LeftOutTold, agent: string, whoUses: string): string {
    const agents = this.#hosts.get(told.host) ?? new Map<string, Entry>();
    this.#hosts.set(told.host, agents);
    const before = agents.get(agent);
    const now = performance.now();
    // It is out already: what was on its way does not count twice.
    if (before !== undefined && now < before.until) return before.text;
    const ms = nextMs(before, now);
    const text = `${told.text}: ${whoUses} others for ${ms / 1000} s`;
    agents.set(agent, { what: told.what, ms, until: now + ms, text });
    this.#onTold({ ...told, text });
    return text;
  }
}

function inForce(entry: Entry | undefined): string | undefined {
  return entry !== undefined && performance.now() < entry.until ? entry.text : undefined;
}

/** Who behaved for as long as the longest begins anew. */
function nextMs(before: Entry | undefined, now: number): number {
  if (before === undefined || now > before.until + mostMs) return firstMs;
  return Math.min(2 * before.ms, mostMs);
}
