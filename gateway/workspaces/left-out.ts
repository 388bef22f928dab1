import { brokenRule, ReplicaUnreachable } from './faults.ts';
import type { Slot } from './replicas.ts';

/** How long a host is left out: at first, and twice as long each time, up to the most. */
const firstMs = 30_000;
const mostMs = 10 * 60_000;

/** What its replica did: held up exchanges with others, or sent what no carrier may send. */
export type LeftOutFor = 'held-up' | 'broke-rules';

export interface LeftOutTold {
  readonly agent: string;
  readonly host: string;
  readonly what: LeftOutFor;
  readonly text: string;
}

interface Entry {
  readonly ms: number;
  readonly until: number;
  readonly text: string;
}

type Pair = Pick<Slot, 'agent' | 'host'>;

/**
 * Hosts on which no command of a followed agent begins for a while. What the gateway measures counts for all agents. That
 * rules were broken is said by one of two carriers, of which either may lie: it counts for their agent.
 */
export class LeftOut {
  readonly #onTold: (told: LeftOutTold) => void;
  /** By host, and then by agent; the agent '' stands for all. */
  readonly #hosts = new Map<string, Map<string, Entry>>();

  constructor(onTold: (told: LeftOutTold) => void = () => {}) {
    this.#onTold = onTold;
  }

  /** It held up exchanges with other hosts: no agent uses it. Returns what people are told. */
  heldUp({ agent, host }: Pair): string {
    const why = `the replica on ${host} held up exchanges with other hosts`;
    return this.#leave({ agent, host, what: 'held-up', text: why }, '', 'followed agents use');
  }

  /** The error to throw in place of `error`: if the rules were broken, the agent does not use the host. */
  blamed({ agent, host }: Pair, error: unknown): unknown {
    const rule = brokenRule(error);
    if (rule === undefined) return error;
    const why = `the replica of agent ${agent} on ${host} broke the rules (${rule})`;
    const text = this.#leave({ agent, host, what: 'broke-rules', text: why }, agent, 'the agent uses');
    return new ReplicaUnreachable(text, { cause: error });
  }

  /** Why the agent does not use the host; `undefined` if it does. */
  why({ agent, host }: Pair): string | undefined {
    const agents = this.#hosts.get(host);
    return inForce(agents?.get('')) ?? inForce(agents?.get(agent));
  }

  /** Why any agent does not use it. */
  problem(host: string): string {
    const all = [...(this.#hosts.get(host)?.values() ?? [])].flatMap((entry) => inForce(entry) ?? []);
    const [first = '', ...more] = all;
    return more.length === 0 ? first : `${first}; and ${more.length} more agents do`;
  }

  /** A person says that the host may be tried again. */
  forget(host: string): void {
    this.#hosts.delete(host);
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
    agents.set(agent, { ms, until: now + ms, text });
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
