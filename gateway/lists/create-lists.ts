import { ClawrdenError } from '../../src/errors.ts';
import { lineHolds, wrongSearch } from '../../src/line-search.ts';
import type {
  ExecutionState,
  ExecutionSummary,
  HistoryFilter,
  HistoryRow,
} from '../ports/execution-record.ts';
import type { Grant } from '../ports/grant.ts';
import type { PendingApproval } from '../ports/verdict.ts';
import type { AgentView, HostView, WardenApi } from '../ports/warden-api.ts';
import type { Seen } from '../principals/seen-by.ts';
import { createFairPages, type Listed } from './fair-pages.ts';
import { fillPage, newPage, type PageShape, type RowShape } from './page.ts';
import { foreignToken, fromToken, numbersOf, tokenBehind, toToken } from './page-token.ts';
import type { Seal } from './seal.ts';

/** How one door shows each kind of row. */
export interface RowShapes<Execution, Approval, GrantRow, Agent, Host> {
  readonly execution: RowShape<ExecutionSummary, Execution>;
  readonly approval: RowShape<PendingApproval, Approval>;
  readonly grant: RowShape<Grant, GrantRow>;
  readonly agent: RowShape<AgentView, Agent>;
  readonly host: RowShape<HostView, Host>;
}

export interface PageWish {
  /** 0 means 100. */
  readonly limit: number;
  /** Empty for the first page. */
  readonly pageToken: string;
}

export interface ExecutionsWish extends PageWish, Omit<HistoryFilter, 'behind' | 'limit' | 'agents'> {
  /** Only those that have not ended; then `since` and `decision` do not count. */
  readonly running: boolean;
  /** Only those whose command line has this text; empty for all. */
  readonly q?: string;
  /** Of those, only the ones in this state. */
  readonly state?: ExecutionState;
}

/**
 * The lists of people and programs: pages that are bounded whatever their rows contain. `seen` is what the caller sees
 * of the gateway. A page begins where the last one ended, so its rows are counted among those of all agents.
 */
export interface Lists<Execution, Approval, GrantRow, Agent, Host> {
  readonly executions: (wish: ExecutionsWish, seen: Seen) => Promise<Listed<Execution>>;
  readonly approvals: (wish: PageWish, seen: Seen) => Listed<Approval>;
  readonly grants: (wish: PageWish, seen: Seen) => Listed<GrantRow>;
  readonly agents: (wish: PageWish, seen: Seen) => Listed<Agent>;
  readonly hosts: (wish: PageWish) => Listed<Host>;
}

export function createLists<Execution, Approval, GrantRow, Agent, Host>(
  warden: WardenApi,
  seal: Seal,
  shapes: RowShapes<Execution, Approval, GrantRow, Agent, Host>,
): Lists<Execution, Approval, GrantRow, Agent, Host> {
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
  const granted = createFairPages<Grant, GrantRow>(
    ({ id }) => id,
    ({ agent }) => agent,
    seal,
  );
  return {
    executions: async (wish, { warden: seen, sees, reader }) => {
      checkFilter(wish);
      const { q = '', tool = '' } = wish;
      if (!wish.running && q !== '') return searched(seen, { ...wish, q }, seal, shapes.execution);
      if (!wish.running) return history(seen, wish, seal, shapes.execution);
      const shape = { limit: limitOf(wish), ...shapes.execution };
      const wanted = ({ agent, state, argv }: ExecutionSummary) =>
        (tool === '' || argv[0] === tool) &&
        (q === '' || lineHolds(argv, q)) &&
        (wish.agent === '' || agent === wish.agent) &&
        (wish.state === undefined || state === wish.state) &&
        sees.agent(agent);
      return running(warden.running(), wish.pageToken, shape, { reader, wanted });
    },
    approvals: (wish, { sees, reader }) => {
      const shape = { limit: limitOf(wish), ...shapes.approval };
      const look = { reader, wanted: ({ agent }: PendingApproval) => sees.agent(agent) };
      return waiting(warden.approvals(), wish.pageToken, shape, look);
    },
    grants: (wish, { sees, reader }) => {
      const shape = { limit: limitOf(wish), ...shapes.grant };
      const look = { reader, wanted: ({ agent }: Grant) => sees.agent(agent) };
      return granted(warden.grants(), wish.pageToken, shape, look);
    },
    agents: (wish, { warden: seen }) => byName(seal, 'agents', seen.agents(), wish, shapes.agent),
    hosts: (wish) => byName(seal, 'hosts', warden.hosts(), wish, shapes.host),
  };
}

const defaultLimit = 100;
export const mostLimit = 1000;

/** Rows of a page as it was asked for. */
export function limitOf({ limit }: { readonly limit: number }): number {
  if (limit > mostLimit) throw invalid(`limit must be at most ${mostLimit}`);
  return limit === 0 ? defaultLimit : limit;
}

function checkFilter({ since, decision, q = '' }: ExecutionsWish): void {
  const wrong = q === '' ? undefined : wrongSearch(q);
  if (wrong !== undefined) throw invalid(`q ${wrong}`);
  if (Number.isNaN(since)) throw invalid('since must be an RFC 3339 time');
  if (!['', 'allow', 'deny', 'ask'].includes(decision)) throw invalid('decision must be allow, deny or ask');
}

function invalid(text: string): ClawrdenError {
  return new ClawrdenError('request-invalid', text);
}

async function history<Message>(
  warden: WardenApi,
  wish: ExecutionsWish,
  seal: Seal,
  shape: RowShape<ExecutionSummary, Message>,
): Promise<Listed<Message>> {
  const { running: _running, state: _state, q: _q, pageToken, ...filter } = wish;
  const [receivedAt, row] = numbersOf(seal, 'history', pageToken, 2) ?? [];
  const behind = receivedAt === undefined || row === undefined ? {} : { behind: { receivedAt, row } };
  const limit = limitOf(wish);
  const toMessage = ({ record }: HistoryRow) => shape.toMessage(record);
  const page = newPage({ limit, toMessage, bytesOf: shape.bytesOf });
  // One more, which says that there are more.
  const rows = warden.history({ ...filter, ...behind, limit: limit + 1 });
  for await (const each of rows) if (!page.add(each)) break;
  const nextPageToken = tokenBehind(page, seal, 'history', (last) => [last.receivedAt, last.row]);
  return { messages: [...page.messages], nextPageToken };
}

const foundAtOnce = 100;

/** A page has fewer rows than its limit if it took long to find them, and is not the last one then. */
async function searched<Message>(
  warden: WardenApi,
  wish: ExecutionsWish & { readonly q: string },
  seal: Seal,
  shape: RowShape<ExecutionSummary, Message>,
): Promise<Listed<Message>> {
  const { running: _running, state: _state, pageToken, ...filter } = wish;
  const [below] = numbersOf(seal, 'search', pageToken, 1) ?? [];
  const limit = Math.min(limitOf(wish), foundAtOnce);
  const found = await warden.search({ ...filter, limit, ...(below !== undefined && { below }) });
  const toMessage = ({ record }: HistoryRow) => shape.toMessage(record);
  const page = fillPage(found.rows, { limit, toMessage, bytesOf: shape.bytesOf });
  const next = page.more() ? page.rows.at(-1)?.row : found.below;
  const nextPageToken = next === undefined ? '' : toToken(seal, 'search', [next]);
  return { messages: [...page.messages], nextPageToken };
}

interface Named {
  readonly name: string;
}

/** Rows by their name; a page token names the last one. */
export function byName<Row extends Named, Message>(
  seal: Seal,
  kind: string,
  rows: readonly Row[],
  wish: PageWish,
  shape: RowShape<Row, Message>,
): Listed<Message> {
  const [behind] = fromToken(seal, kind, wish.pageToken) ?? [''];
  if (typeof behind !== 'string') throw foreignToken();
  const left = rows.filter(({ name }) => name > behind).sort((a, b) => (a.name < b.name ? -1 : 1));
  const whole: PageShape<Row, Message> = { limit: wish.limit === 0 ? mostLimit : limitOf(wish), ...shape };
  const page = fillPage(left, whole);
  const nextPageToken = tokenBehind(page, seal, kind, ({ name }) => [name]);
  return { messages: [...page.messages], nextPageToken };
}
