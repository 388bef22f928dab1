import {
  Agent,
  Approval,
  Execution,
  Host,
  type ListAgentsRequest,
  type ListAgentsResponse,
  type ListApprovalsRequest,
  type ListApprovalsResponse,
  type ListExecutionsRequest,
  type ListExecutionsResponse,
  type ListHostsRequest,
  type ListHostsResponse,
} from '../../../src/gen/clawrden/v1/warden.ts';
import type { ExecutionSummary, HistoryFilter, HistoryRow } from '../../ports/execution-record.ts';
import type { PendingApproval } from '../../ports/verdict.ts';
import type { WardenApi } from '../../ports/warden-api.ts';
import type { Sees } from '../../principals/sees.ts';
import { invalid } from '../calls/errors.ts';
import { createFairPages, type Listed } from './fair-pages.ts';
import { fillPage, newPage, type PageShape } from './page.ts';
import { foreignToken, fromToken, numbersOf, toToken } from './page-token.ts';
import type { Seal } from './seal.ts';
import { toAgent, toApproval, toExecutionSummary, toHost } from './warden-messages.ts';

/**
 * The List calls of the WardenService: pages that are bounded whatever their rows contain. `seen` is what the caller
 * sees of the gateway. A page begins where the last one ended, so its rows are counted among those of all agents.
 */
export interface Lists {
  readonly executions: (request: ListExecutionsRequest, seen: Seen) => Promise<ListExecutionsResponse>;
  readonly approvals: (request: ListApprovalsRequest, seen: Seen) => ListApprovalsResponse;
  readonly agents: (request: ListAgentsRequest, seen: Seen) => ListAgentsResponse;
  readonly hosts: (request: ListHostsRequest) => ListHostsResponse;
}

export interface Seen {
  readonly warden: WardenApi;
  readonly sees: Sees;
}

export function createLists(warden: WardenApi, seal: Seal): Lists {
  const running = createFairPages<ExecutionSummary, Execution>(
    ({ caller, id }) => `${caller} ${id}`,
    ({ agent, caller }) => agent || caller,
    seal,
  );
  const waiting = createFairPages<PendingApproval, Approval>(
    ({ id }) => id,
    ({ agent }) => agent,
    seal,
  );
  return {
    executions: async (request, { warden: seen, sees }) => {
      checkFilter(request);
      if (!request.running) return history(seen, request, seal);
      const shape = { limit: limitOf(request), toMessage: toExecutionSummary, type: Execution };
      const wanted = ({ agent }: ExecutionSummary) =>
        (request.agent === '' || agent === request.agent) && sees.agent(agent);
      const { messages, nextPageToken } = running(warden.running(), request.pageToken, shape, wanted);
      return { executions: messages, nextPageToken };
    },
    approvals: (request, { sees }) => {
      const shape = { limit: limitOf(request), toMessage: toApproval, type: Approval };
      const { messages, nextPageToken } = waiting(warden.approvals(), request.pageToken, shape, ({ agent }) =>
        sees.agent(agent),
      );
      return { approvals: messages, nextPageToken };
    },
    agents: ({ pageToken }, { warden: seen }) => {
      const shape = { limit: mostLimit, toMessage: toAgent, type: Agent };
      const { messages, nextPageToken } = byName(seal, 'agents', seen.agents(), pageToken, shape);
      return { agents: messages, nextPageToken };
    },
    hosts: ({ pageToken }) => {
      const shape = { limit: mostLimit, toMessage: toHost, type: Host };
      const { messages, nextPageToken } = byName(seal, 'hosts', warden.hosts(), pageToken, shape);
      return { hosts: messages, nextPageToken };
    },
  };
}

const defaultLimit = 100;
const mostLimit = 1000;

/** Rows of a page as it was asked for. */
export function limitOf({ limit }: { readonly limit: number }): number {
  if (limit > mostLimit) throw invalid(`limit must be at most ${mostLimit}`);
  return limit === 0 ? defaultLimit : limit;
}

function checkFilter({ since, decision }: ListExecutionsRequest): void {
  if (Number.isNaN(timeOf(since))) throw invalid('since must be an RFC 3339 time');
  if (!['', 'allow', 'deny', 'ask'].includes(decision)) throw invalid('decision must be allow, deny or ask');
}

function timeOf(since: string): number | undefined {
  return since === '' ? undefined : Date.parse(since);
}

async function history(
  warden: WardenApi,
  request: ListExecutionsRequest,
  seal: Seal,
): Promise<ListExecutionsResponse> {
  const { agent, decision, since, pageToken } = request;
  const [receivedAt, row] = numbersOf(seal, 'history', pageToken, 2) ?? [];
  const behind = receivedAt === undefined || row === undefined ? {} : { behind: { receivedAt, row } };
  const limit = limitOf(request);
  const rows = rowsOfHistory(warden, { agent, decision, since: timeOf(since), ...behind, limit });
  const toMessage = ({ record }: HistoryRow) => toExecutionSummary(record);
  const page = newPage({ limit, toMessage, type: Execution });
  for await (const each of rows) if (!page.add(each)) break;
  const last = page.rows.at(-1);
  const nextPageToken =
    page.more() && last !== undefined ? toToken(seal, 'history', [last.receivedAt, last.row]) : '';
  return { executions: [...page.messages], nextPageToken };
}

/** Rows of an older version may be large: only so many of them are in memory at once. */
const rowsAtOnce = 50;

async function* rowsOfHistory(warden: WardenApi, filter: HistoryFilter): AsyncGenerator<HistoryRow> {
  let behind = filter.behind;
  for (;;) {
    const limit = Math.min(rowsAtOnce, filter.limit + 1);
    const rows = await warden.history({ ...filter, ...(behind && { behind }), limit });
    yield* rows;
    behind = rows.at(-1);
    if (rows.length < limit) return;
  }
}

interface Named {
  readonly name: string;
}

function byName<Row extends Named, Message>(
  seal: Seal,
  kind: string,
  rows: readonly Row[],
  token: string,
  shape: PageShape<Row, Message>,
): Listed<Message> {
  const [behind] = fromToken(seal, kind, token) ?? [''];
  if (typeof behind !== 'string') throw foreignToken();
  const left = rows.filter(({ name }) => name > behind).sort((a, b) => (a.name < b.name ? -1 : 1));
  const page = fillPage(left, shape);
  const last = page.rows.at(-1);
  const nextPageToken = page.more() && last !== undefined ? toToken(seal, kind, [last.name]) : '';
  return { messages: [...page.messages], nextPageToken };
}
