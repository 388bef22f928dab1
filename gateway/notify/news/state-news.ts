import type { StateNews } from '../../ports/notifier.ts';
import type { AgentView, HostView, WardenApi } from '../../ports/warden-api.ts';

export type States = Pick<WardenApi, 'agents' | 'hosts' | 'status' | 'policy'>;

interface Seen {
  readonly key: string;
  readonly news: StateNews;
}

/** What stops work now; each is told once, when it begins. What was so at the first look was told before. */
export function createStateNews(states: States): () => StateNews[] {
  let known: ReadonlySet<string> | undefined;
  return () => {
    const now = troubles(states);
    const before = known;
    known = new Set(now.map(({ key }) => key));
    // A host may be down since this gateway was started; everything else is kept on the disk from before.
    const isNew = ({ key, news }: Seen) =>
      before === undefined ? news.event === 'host-down' : !before.has(key);
    return now.filter(isNew).map(({ news }) => news);
  };
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
