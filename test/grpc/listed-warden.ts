import { createApprovalStore } from '../../gateway/approvals/approval-store.ts';
import { type Approvals, createApprovals } from '../../gateway/approvals/approvals.ts';
import { openGrants } from '../../gateway/approvals/grants.ts';
import type { ExecutionRecord } from '../../gateway/ports/execution-record.ts';
import type { AgentView } from '../../gateway/ports/warden-api.ts';
import { openDatabase } from '../../gateway/store/database.ts';
import { type History, openHistory } from '../../gateway/store/history.ts';
import type { GatewayClient } from '../../src/gateway-client/connect-gateway.ts';
import { canonicalJson, planHash } from '../../src/plan.ts';
import { anyApprover } from '../fixtures/any-approver.ts';
import { admin, type GatewayOptions, startTestGateway, type TestGateway } from './gateway.ts';

/**
 * The gateway's gRPC side with real questions and a real history; the test decides what runs and which agents exist.
 */
export interface ListedWarden extends AsyncDisposable {
  readonly gateway: TestGateway;
  readonly client: GatewayClient;
  readonly approvals: () => Approvals;
  readonly history: () => History;
  running: ExecutionRecord[];
  agents: AgentView[];
  readonly ask: (agent: string, argv: readonly string[], cwd: string) => Promise<unknown>;
  /** Starts again with nothing in it. */
  readonly renew: () => Promise<void>;
}

export async function startListedWarden(
  options: Pick<GatewayOptions, 'people' | 'pace'> = {},
): Promise<ListedWarden> {
  let approvals = await newApprovals();
  let history = await newHistory();
  const gateway = await startTestGateway({
    ...options,
    warden: {
      approvals: () => approvals.pending(),
      watchApprovals: (listener, signal) => approvals.watch(listener, signal),
      resolveApproval: (id, verdict) => approvals.resolve(id, { ...verdict, by: 'person:admin' }),
      running: () => warden.running,
      agents: () => warden.agents,
      history: (filter) => history.page(filter),
      search: (search) => history.search(search),
      execution: (id, caller) => history.find(id, caller),
    },
  });
  const warden: ListedWarden = {
    gateway,
    client: await gateway.connect(admin),
    approvals: () => approvals,
    history: () => history,
    running: [],
    agents: [],
    ask: (agent, argv, cwd) => {
      const plan = canonicalJson({ agent, argv, cwd, stdin: 'none' });
      const rest = { executionId: 'e', caller: 'relay:r', rule: 'r', context: '{}', expiresInMs: 600_000 };
      return approvals.ask({ ...rest, agent, plan, planHash: planHash(plan), reason: cwd });
    },
    renew: async () => {
      await history.close();
      approvals = await newApprovals();
      history = await newHistory();
    },
    [Symbol.asyncDispose]: async () => {
      await gateway[Symbol.asyncDispose]();
      await history.close();
    },
  };
  return warden;
}

async function newApprovals(): Promise<Approvals> {
  const database = await openDatabase(':memory:', 'crash');
  const grants = await openGrants(database, unwritten, anyApprover);
  return createApprovals({ store: createApprovalStore(database), grants, ...rest });
}

async function newHistory(): Promise<History> {
  return openHistory(await openDatabase(':memory:', 'crash'));
}

const rest = { approvers: anyApprover, record: async () => {}, pendingPerAgent: 1000 };
const unwritten = { append: async () => {}, unkept: () => {} };
