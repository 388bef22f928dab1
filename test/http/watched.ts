import { createEventFeed } from '../../gateway/events/event-feed.ts';
import { createEventLog, eventLogLimits } from '../../gateway/events/event-log.ts';
import type { ExecutionRecord } from '../../gateway/ports/execution-record.ts';
import type { PendingApproval } from '../../gateway/ports/verdict.ts';
import type { WardenApi } from '../../gateway/ports/warden-api.ts';
import { createSees } from '../../gateway/principals/sees.ts';
import { createFaults } from '../../src/faults.ts';
import type { GatewayEvent } from '../../src/http-api/events.ts';
import { emptyWarden } from '../grpc/gateway.ts';
import { idOf } from '../grpc/two-fleets.ts';
import { type HttpGateway, type HttpGatewayOptions, startHttpGateway } from './http-gateway.ts';

/** The HTTP door before a gateway in which the test changes things. */
export interface WatchedSite extends AsyncDisposable {
  readonly door: HttpGateway;
  readonly execution: (record: ExecutionRecord) => void;
  readonly ask: (agent: string, id: string) => void;
  readonly answer: (id: string) => void;
  /** Agents with `team: web` and others, by their names. */
  readonly agents: Map<string, { readonly labels: Record<string, string>; problem: string }>;
}

export async function startWatched(
  options: HttpGatewayOptions & {
    readonly limits?: never;
    readonly kept?: Partial<typeof eventLogLimits>;
  } = {},
): Promise<WatchedSite> {
  const { kept, ...more } = options;
  const agents: WatchedSite['agents'] = new Map();
  const pending = new Map<string, PendingApproval>();
  let asked = () => {};
  const configs = () =>
    new Map([...agents].map(([name, { labels }]) => [name, { name, labels, relay: 'r' }] as const));
  const warden: WardenApi = {
    ...emptyWarden,
    approvals: () => [...pending.values()],
    watchApprovals: (listener) => {
      asked = listener;
    },
    within: (caller) => createSees(caller, configs),
    agents: () =>
      [...agents].map(([name, { problem }]) => ({
        ...{ name, relay: 'r', online: true, containerRunning: true, tools: [], running: 0 },
        ...{ pending: 0, grants: 0 },
        problem,
      })),
  };
  const open = createEventFeed(createEventLog({ ...eventLogLimits, ...kept }));
  const faults = createFaults({ error: () => {} });
  const limits = { connections: 512, perAddress: 512, requestsPerSecond: 100_000 };
  const door = await startHttpGateway({
    ...{ limits, warden, events: open.feed({ ...warden, faults }) },
    ...(more as HttpGatewayOptions),
  });
  return {
    door,
    agents,
    execution: open.execution,
    ask: (agent, id) => {
      pending.set(id, approvalOf(agent, id));
      asked();
    },
    answer: (id) => {
      pending.delete(id);
      asked();
    },
    [Symbol.asyncDispose]: () => door[Symbol.asyncDispose](),
  };
}

function approvalOf(agent: string, id: string): PendingApproval {
  return {
    ...{
      id,
      executionId: idOf(1),
      caller: 'relay:r',
      agent,
      planHash: 'h',
      plan: '{}',
      noGrant: '',
      said: '',
    },
    ...{ command: { argv: ['rm'], cwd: '/' }, rule: 'r', reason: '', createdAt: 1, expiresAt: 2 },
    ...{ consent: { approvals: 1, role: 'approver' }, missing: 1, yeses: [] },
  };
}

export function recordOf(
  agent: string,
  number: number,
  more: Partial<ExecutionRecord> = {},
): ExecutionRecord {
  return {
    ...{ id: idOf(number), caller: 'relay:r', agent, argv: ['rm', `${number}`], cwd: '/app' },
    ...{ decision: 'allow', rule: 'r', decisionReason: '', strategy: 'ghost', host: '', container: '' },
    ...{ planHash: '', plan: '', approvalId: '', approver: '', outcome: '', reason: '', text: '' },
    ...{ uid: 0, gid: 0, exitCode: 0, exitSignal: 0, stdoutBytes: 0, stderrBytes: 0, operands: '' },
    ...{ receivedAt: number, decidedAt: undefined, startedAt: undefined, endedAt: undefined },
    ...{ state: 'running', ...more },
  };
}

/** What an event is about, in a word. */
export function wordOf(event: GatewayEvent): string {
  switch (event.type) {
    case 'execution':
      return `${event.type} ${event.execution.id.slice(-4)} ${event.execution.state}`;
    case 'approval':
    case 'approval-gone':
      return `${event.type} ${event.approval.id}`;
    case 'agent':
      return `${event.type} ${event.agent.name} ${event.agent.problem}`;
    default:
      return event.type;
  }
}
