import type { Faults } from '../../src/faults.ts';
import { createListeners } from '../../src/listeners.ts';
import type { EventFeed } from '../ports/events.ts';
import type { ExecutionRecord, ExecutionSummary } from '../ports/execution-record.ts';
import type { WardenApi } from '../ports/warden-api.ts';
import { createApprovalChanges } from './approval-changes.ts';
import { createEventLog, type EventLog } from './event-log.ts';
import { createViewChanges, type Views } from './view-changes.ts';

export interface EventSources extends Views, Pick<WardenApi, 'approvals' | 'watchApprovals'> {
  readonly faults: Faults;
}

/** What changes in the gateway, for every door that watches. One thing is told at most once in 100 ms, as it is then. */
export interface OpenEventFeed {
  /** An execution has changed; nothing happens before `begin`. */
  readonly execution: (record: ExecutionRecord) => void;
  readonly feed: (sources: EventSources) => EventFeed;
}

const settleMs = 100;
/** Agents, hosts and what the status says are looked at so often. */
const lookMs = 500;

export function createEventFeed(log: EventLog = createEventLog()): OpenEventFeed {
  const executions = new Map<string, ExecutionRecord>();
  const { watch, tell } = createListeners();
  let settle: (() => void) | undefined;
  return {
    execution: (record) => {
      if (settle === undefined) return;
      executions.set(`${record.caller} ${record.id}`, record);
      settle();
    },
    feed: (sources) => ({
      begin: () => {
        settle ??= follow(sources, log, executions, tell);
        return log.newest();
      },
      after: log.after,
      isWhole: log.isWhole,
      watch,
    }),
  };
}

/** Answers what to call when something has changed. The timers end with the process. */
function follow(
  { faults, ...sources }: EventSources,
  log: EventLog,
  executions: Map<string, ExecutionRecord>,
  told: () => void,
): () => void {
  const approvals = createApprovalChanges(sources.approvals);
  const views = createViewChanges(sources);
  let timer: NodeJS.Timeout | undefined;
  let [lookedAt, toldAt] = [0, 0];

  const tell = faults.guard('events', () => {
    timer = undefined;
    const now = performance.now();
    toldAt = now;
    const rows = [...executions.values()].map(toSummary);
    executions.clear();
    const looks = now - lookedAt >= lookMs;
    if (looks) lookedAt = now;
    const changes = [
      ...rows.map((row) => ({ type: 'execution', row }) as const),
      ...approvals(),
      ...(looks ? views() : []),
    ];
    if (changes.length === 0) return;
    log.add(changes);
    told();
  });

  const changed = () => {
    timer ??= setTimeout(tell, Math.max(1, toldAt + settleMs - performance.now())).unref();
  };
  tell();
  sources.watchApprovals(changed, new AbortController().signal);
  setInterval(changed, lookMs).unref();
  return changed;
}

function toSummary({
  plan: _plan,
  operands: _operands,
  connections: _connections,
  ...summary
}: ExecutionRecord): ExecutionSummary {
  return summary;
}
