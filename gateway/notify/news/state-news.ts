import type { StateNews } from '../../ports/notifier.ts';
import type { AgentView, HostView, WardenApi } from '../../ports/warden-api.ts';

export type States = Pick<WardenApi, 'agents' | 'hosts' | 'status' | 'policy'>;

interface Seen {
  readonly key: string;
  readonly news: StateNews;
}

interface Known {
  readonly news: StateNews;
  isTold: boolean;
  hasFailed: boolean;
}

/**
 * Tells what stops work now, each once, when it begins. What was so at the first look was told before. What could not
 * be told is tried again at the next look, as long as it is so.
 */
export function createStateNews(
  states: States,
  tell: (news: StateNews) => Promise<void>,
): () => Promise<void> {
  let known: ReadonlyMap<string, Known> | undefined;
  let isTelling = false;
  return async () => {
    const before = known;
    // A host may be down since this gateway was started; everything else is kept on the disk from before.
    const begin = ({ news }: Seen) => ({
      ...{ news, hasFailed: false },
      isTold: before === undefined && news.event !== 'host-down',
    });
    known = new Map(troubles(states).map((each) => [each.key, before?.get(each.key) ?? begin(each)]));
    if (isTelling) return;
    isTelling = true;
    try {
      for (const each of known.values()) if (!each.isTold) await tellOne(each, tell);
    } finally {
      isTelling = false;
    }
  };
}

/** Throws at its first failure only: it is tried each second. */
async function tellOne(each: Known, tell: (news: StateNews) => Promise<void>): Promise<void> {
  try {
    await tell(each.news);
    each.isTold = true;
  } catch (error) {
    if (each.hasFailed) return;
    each.hasFailed = true;
    throw error;
  }
}

function troubles({ agents, hosts, status, policy }: States): Seen[] {
  const { problem: refused } = policy();
  const { problem: unwritable, lockdown } = status();
  return [
    ...agents().flatMap(stopOf),
    ...hosts().flatMap(downOf),
    ...(lockdown ? [seen('lockdown', '', '', 'every agent is stopped')] : []),
    ...(refused === '' ? [] : [seen('policy-refused', '', '', refused, refused)]),
    ...(unwritable === '' ? [] : [seen('audit-unwritable', '', '', unwritable)]),
  ];
}

function stopOf({ name, stopped }: AgentView): Seen[] {
  if (stopped?.by.startsWith('breaker:') !== true) return [];
  return [seen('agent-stopped', name, stopped.by, stopped.reason, String(stopped.since))];
}

function downOf({ name, state, problem }: HostView): Seen[] {
  return state === 'down' ? [seen('host-down', name, '', problem)] : [];
}

/** `which`: if it changes, it is told again. */
function seen(event: StateNews['event'], about: string, by: string, reason: string, which = ''): Seen {
  const at = Date.now();
  const id = [event, ...(about === '' ? [] : [about]), at].join('/');
  return { key: `${event} ${about} ${which}`, news: { event, id, at, about, by, reason } };
}
