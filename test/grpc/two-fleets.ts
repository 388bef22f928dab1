import { createApprovalStore } from '../../gateway/approvals/approval-store.ts';
import { type Approvals, createApprovals } from '../../gateway/approvals/approvals.ts';
import { type Grants, openGrants } from '../../gateway/approvals/grants.ts';
import { createExplain } from '../../gateway/judging/explain.ts';
import { toolViews } from '../../gateway/judging/tool-views.ts';
import type { ExecutionRecord } from '../../gateway/ports/execution-record.ts';
import type { AgentView, WardenApi } from '../../gateway/ports/warden-api.ts';
import { createSees } from '../../gateway/principals/sees.ts';
import { openDatabase } from '../../gateway/store/database.ts';
import { type History, openHistory } from '../../gateway/store/history.ts';
import type { GatewayClient } from '../../src/gateway-client/connect-gateway.ts';
import { createNextPiece } from '../../src/next-piece.ts';
import { canonicalJson, planHash } from '../../src/plan.ts';
import { parsePolicy } from '../../src/policy/file/parse-policy.ts';
import { anyApprover } from '../fixtures/any-approver.ts';
import { sharedPolicy } from '../fixtures/shared-policy.ts';
import { startTestGateway } from './gateway.ts';

export const own = ['web-1', 'web-2'] as const;
export const foreign = ['db-1', 'web-3'] as const;

export interface Row {
  /** Of an agent; empty for a command without one. */
  readonly agent: string;
  readonly number: number;
  readonly isRunning: boolean;
}

/** A gateway with real lists, whose agents and commands the test chooses. */
export interface Fleet extends AsyncDisposable {
  /** Viewer and operator of the agents with `team: web`. */
  readonly vera: GatewayClient;
  readonly otto: GatewayClient;
  /** An operator of all agents. */
  readonly all: GatewayClient;
  /** Ids of questions, the oldest first. */
  readonly fill: (rows: readonly Row[]) => Promise<readonly string[]>;
}

export async function startFleet(names: readonly string[]): Promise<Fleet> {
  const fleet = await makeFleet(names);
  const gateway = await startTestGateway({
    people: { vera: 'viewer', otto: 'operator', all: 'operator' },
    scopes: { vera: { team: 'web' }, otto: { team: 'web' } },
    warden: fleet.warden,
  });
  const connect = (name: string) => gateway.connect({ kind: 'person', name });
  return {
    ...{ vera: await connect('vera'), otto: await connect('otto'), all: await connect('all') },
    fill: fleet.fill,
    [Symbol.asyncDispose]: async () => {
      await gateway[Symbol.asyncDispose]();
      await fleet.close();
    },
  };
}

/** What such a gateway knows, for any door. */
export interface FleetWarden extends Pick<Fleet, 'fill'> {
  readonly warden: Partial<WardenApi>;
  readonly close: () => Promise<void>;
}

export async function makeFleet(names: readonly string[]): Promise<FleetWarden> {
  const agents = new Map(names.map((name) => [name, agentOf(name)]));
  const parsed = parsePolicy(sharedPolicy(), 'policy.yaml');
  if (!('policy' in parsed)) throw new Error(parsed.problems.join('\n'));
  const explain = createExplain({
    budgets: { charge: () => {} },
    policy: () => parsed.policy,
    agents: () => agents,
    halted: () => undefined,
    resolveImage: () => Promise.reject(new Error('no images here')),
    routes: () => new Map(),
    learnsOf: () => undefined,
    nextPiece: createNextPiece(),
  });
  let [grants, history, running] = [await newGrants(), await newHistory(), [] as ExecutionRecord[]];
  let approvals = await newApprovals(grants);
  return {
    warden: {
      explain,
      within: (caller) => createSees(caller, () => agents),
      tools: (only) => toolViews(parsed.policy, agents, only),
      agents: () => [...agents.keys()].map(viewOf),
      approvals: () => approvals.pending(),
      grants: () => grants.list(),
      revokeGrant: (id) => grants.revoke(id, 'person:otto', ''),
      watchApprovals: (listener, signal) => approvals.watch(listener, signal),
      resolveApproval: (id, verdict) => approvals.resolve(id, { ...verdict, by: 'person:otto' }),
      running: () => running,
      history: (filter) => history.page(filter),
      search: (search) => history.search(search),
      execution: (id, caller, only) => history.find(id, caller, only),
      setAgentState: async (agent) => (agents.has(agent) ? { stopped: 0, unconfirmed: [] } : undefined),
    },
    fill: async (rows) => {
      await history.close();
      [grants, history] = [await newGrants(), await newHistory()];
      approvals = await newApprovals(grants);
      running = rows.filter(({ isRunning }) => isRunning).map(recordOf);
      for (const row of rows) if (!row.isRunning) history.save(recordOf(row));
      for (const row of rows) if (row.isRunning && row.agent !== '') await ask(approvals, row);
      for (const row of rows) if (!row.isRunning) await grants.give(grantOf(row), 600_000);
      return approvals.pending().map(({ id }) => id);
    },
    close: () => history.close(),
  };
}

async function newApprovals(grants: Grants): Promise<Approvals> {
  return createApprovals({
    store: createApprovalStore(await openDatabase(':memory:', 'crash')),
    grants,
    ...rest,
  });
}

async function newGrants(): Promise<Grants> {
  return openGrants(await openDatabase(':memory:', 'crash'), unwritten, anyApprover);
}

async function newHistory(): Promise<History> {
  return openHistory(await openDatabase(':memory:', 'crash'));
}

function agentOf(name: string) {
  const team = name === 'web-1' || name === 'web-2' ? 'web' : 'db';
  const users = [{ uid: 1000, gid: 1000 }] as const;
  return { name, relay: `host-${team}`, users, labels: { team }, cwd: '/app', hosts: {} };
}

function viewOf(name: string): AgentView {
  const numbers = { online: true, containerRunning: true, running: 0, pending: 0, grants: 0, problem: '' };
  return { name, relay: 'host-1', tools: [], ...numbers };
}

async function ask(approvals: Approvals, { agent, number }: Row): Promise<void> {
  const plan = canonicalJson({ agent, argv: ['rm', `${number}`], cwd: '/app', stdin: 'none' });
  const rest = { caller: 'relay:r', rule: 'r', context: '{}', expiresInMs: 600_000, reason: '' };
  await approvals.ask({ ...rest, executionId: idOf(number), agent, plan, planHash: planHash(plan) });
}

function grantOf({ agent, number }: Row): Parameters<Grants['give']>[0] {
  const command = { argv: ['rm', `${number}`], cwd: '/app' };
  const rest = { command, rule: 'r', execution: idOf(number), by: ['person:ann'], stamps: ['1/0'] };
  return { agent, planHash: `${number}`.padStart(64, '0'), deed: '', ...rest };
}

export function idOf(number: number): string {
  return `0199f3a1-b2c3-7abc-8def-${`${number}`.padStart(12, '0')}`;
}

function recordOf({ agent, number, isRunning }: Row): ExecutionRecord {
  return {
    ...{ id: idOf(number), caller: `relay:${agent}`, agent, argv: ['rm', `${number}`], cwd: '/app' },
    ...{ decision: 'allow', rule: 'r', decisionReason: '', strategy: 'ghost', host: '', container: '' },
    ...{ planHash: '', plan: '', approvalId: '', approver: '', outcome: '', reason: '', text: '' },
    ...{ uid: 0, gid: 0, exitCode: 0, exitSignal: 0, stdoutBytes: 0, stderrBytes: 0, operands: '' },
    ...{ receivedAt: number, decidedAt: undefined, startedAt: undefined, endedAt: undefined },
    state: isRunning ? 'running' : 'ended',
  };
}

const rest = { approvers: anyApprover, record: async () => {}, pendingPerAgent: 1000 };
const unwritten = { append: async () => {}, unkept: () => {} };
