import type { Plan } from '../../../src/plan.ts';
import type { AuditRecord } from '../../audit/audit-record.ts';
import type { EngineEvent } from '../../ports/engine.ts';
import type { ExecutionRecord } from '../../ports/execution-record.ts';
import type { DockerHost } from './docker-host.ts';
import type { Gap } from './watch-host.ts';

/** Commands whose host was lost while they ran: their end is only for the audit. */
export interface LateExits {
  readonly expect: (host: DockerHost, execution: ExecutionRecord) => void;
  /** An earlier gateway's, on a host that was not in gateway.yaml when this one started. */
  readonly expectThere: (execution: ExecutionRecord) => void;
  /** An event of the host's engine, as it happens. */
  readonly hear: (host: DockerHost, event: EngineEvent) => void;
  /**
   * The host is back: asks for the events that were missed. Call it before anything is removed there, and `giveUp`
   * after it.
   */
  readonly recall: (host: DockerHost, gap: Gap) => Promise<void>;
  /** Everything that nobody owned was removed there: what was lost before that stays unknown. */
  readonly giveUp: (host: DockerHost) => void;
  /** Commands that may still run: their end is unknown, and their init's own deadline is not over. */
  readonly running: () => ExecutionRecord[];
}

const unsaid = 'a code that the host does not say';
const maxExpected = 1_000;
const recallMs = 10_000;
/** The init ends at most this long after the plan's timeout. */
const deliveryMs = 10_000;

interface Expected {
  /** If there is none, or it has left gateway.yaml, any host that gets its name is the one. */
  readonly host?: DockerHost;
  readonly execution: ExecutionRecord;
  /** On the monotonic clock, as what follows. */
  readonly since: number;
  /** When its init has ended it by itself. */
  readonly overAt: number;
}

/** `record` appends to the audit without waiting; `isThere` says whether a host has not left yet. */
export function createLateExits(
  record: (entry: AuditRecord) => void,
  isThere: (host: DockerHost) => boolean,
): LateExits {
  const expected = new Map<string, Expected>();

  function tell(entry: Expected, code: number | undefined, text: string): void {
    if (expected.delete(entry.execution.id)) record(lateExit(entry, code, text));
  }

  /** Only its own engine is believed about a command. */
  function hear(host: DockerHost, event: EngineEvent): void {
    if (event.type !== 'container-ended') return;
    for (const known of ofHost(host)) {
      if (known.execution.container !== event.containerId) continue;
      // The container of a session says nothing of one command.
      if (isInSession(known.execution)) tell(known, undefined, 'it ended with its session');
      else tell(known, event.exitCode, `it exited with ${event.exitCode ?? unsaid} after its host was lost`);
    }
  }

  const ofHost = (host: DockerHost) => [...expected.values()].filter(isOf(host, isThere));

  function add(entry: Expected): void {
    const [oldest] = expected.values();
    if (expected.size >= maxExpected && oldest !== undefined) {
      tell(oldest, undefined, 'how it ended is not known: too many others are waited for');
    }
    expected.set(entry.execution.id, entry);
  }

  return {
    expect: (host, execution) => {
      const since = performance.now();
      add({ host, execution, since, overAt: since + longestRun(execution) });
    },
    expectThere: (execution) => {
      const leftMs = longestRun(execution) - ranFor(execution);
      const since = performance.now();
      if (leftMs > 0) add({ execution, since, overAt: since + leftMs });
    },
    hear,
    recall: async (host, { from, until }) => {
      if (from === undefined || ofHost(host).length === 0) return;
      const onEvent = (event: EngineEvent) => hear(host, event);
      await host.engine.watch({ since: from, until, onEvent }, AbortSignal.timeout(recallMs));
    },
    giveUp: (host) => {
      // A sweep that was going on has spared what was lost meanwhile.
      for (const entry of ofHost(host).filter(({ since }) => since <= host.cleanedAt)) {
        tell(entry, undefined, 'its end is unknown; if it still ran, it was removed');
      }
    },
    running: () =>
      [...expected.values()]
        .filter(({ overAt }) => performance.now() < overAt)
        .map(({ execution }) => execution),
  };
}

function lateExit({ host, execution }: Expected, code: number | undefined, text: string): AuditRecord {
  const { id, caller, agent, container } = execution;
  const ended = { host: host?.name ?? execution.host, container, ...(code !== undefined && { code }), text };
  return { type: 'late-exit', execution: id, caller, agent, ...ended };
}

function isOf(host: DockerHost, isThere: (own: DockerHost) => boolean): (entry: Expected) => boolean {
  return ({ host: own, execution }) =>
    own !== undefined && isThere(own) ? own === host : execution.host === host.name;
}

function isInSession({ plan }: ExecutionRecord): boolean {
  return plan !== '' && (JSON.parse(plan) as Plan).isolation === 'session';
}

function ranFor({ startedAt, endedAt }: ExecutionRecord): number {
  return Math.max(0, Date.now() - (startedAt ?? endedAt ?? Date.now()));
}

function longestRun({ plan }: ExecutionRecord): number {
  // It was too long to be kept.
  if (plan === '') return Number.POSITIVE_INFINITY;
  // This program wrote it, from a Plan.
  const { timeoutMs } = JSON.parse(plan) as Plan;
  return timeoutMs === 0 ? Number.POSITIVE_INFINITY : timeoutMs + deliveryMs;
}
