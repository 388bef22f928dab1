import { type handleUnaryCall, status } from '@grpc/grpc-js';
import {
  AgentStatus,
  type ExplainCommandRequest,
  type ResolveApprovalRequest,
  type ResolveApprovalResponse,
  Verdict,
  type WardenServiceServer,
} from '../../../src/gen/clawrden/v1/warden.ts';
import type { AgentState } from '../../ports/agent-state.ts';
import type { Enrolment } from '../../ports/authentication.ts';
import type { ExecutionRecord } from '../../ports/execution-record.ts';
import { type Principal, presentName } from '../../ports/principal.ts';
import type { Resolution, ShownVerdict } from '../../ports/verdict.ts';
import type { ExplainedCommand, WardenApi } from '../../ports/warden-api.ts';
import type { Callers } from '../calls/authenticate.ts';
import { CallRefused, invalid } from '../calls/errors.ts';
import { unary } from '../calls/unary.ts';
import { createLists } from './warden-lists.ts';
import {
  toApproval,
  toExecution,
  toExplanation,
  toHalt,
  toHost,
  toOutput,
  toStatusView,
} from './warden-messages.ts';
import { watchApprovals } from './watch-approvals.ts';
import { workspaceCalls } from './workspace-calls.ts';

export interface WardenServiceParts {
  readonly callers: Callers;
  readonly warden: WardenApi;
  readonly enrolment: Enrolment;
}

export function wardenService({ callers, warden, enrolment }: WardenServiceParts): WardenServiceServer {
  const by = answerer(callers);
  const lists = createLists(warden);
  const workspaces = workspaceCalls(warden.workspaces);
  return {
    listExecutions: by(lists.executions),
    getExecution: by(async (request) => ({ execution: toExecution(await theOne(warden, request)) })),
    getOutput: by(async (request) => {
      const { caller, id } = await theOne(warden, request);
      return toOutput(id, await warden.output(caller, id));
    }),
    listApprovals: by(lists.approvals),
    getApproval: by(({ id }) => {
      const approval = warden.approvals().find((each) => each.id === id);
      if (approval === undefined) throw new CallRefused(status.NOT_FOUND, `no pending approval ${id}`);
      return { approval: { ...toApproval(approval), plan: approval.plan } };
    }),
    watchApprovals: watchApprovals(warden),
    resolveApproval: by(async (request, caller) => await resolve(warden, request, caller)),
    setAgentState: by(async ({ agent, status: wanted, reason }, caller) => {
      const state = agentStates.get(wanted);
      if (state === undefined) throw invalid('status must be active, paused or killed');
      const halt = await warden.setAgentState(agent, state, caller, reason);
      if (halt === undefined) throw new CallRefused(status.NOT_FOUND, `no agent ${agent}`);
      return { halt: toHalt(halt) };
    }),
    setLockdown: by(async ({ on, reason }, caller) => ({
      halt: toHalt(await warden.setLockdown(on, caller, reason)),
    })),
    listAgents: by(lists.agents),
    listHosts: by(lists.hosts),
    setHostDraining: by(async ({ host: name, draining, reason }, caller) => {
      const host = await warden.setHostDraining(name, draining, caller, reason);
      if (host === undefined) throw new CallRefused(status.NOT_FOUND, `no Docker host ${name}`);
      return { host: toHost(host) };
    }),
    getWorkspace: by(workspaces.get),
    listKeptFiles: by(workspaces.kept),
    restoreKeptFile: by(workspaces.restore),
    trustWorkspace: by(workspaces.trust),
    resetReplica: by(workspaces.reset),
    createEnrolmentToken: by(async ({ relay, agents, ttl }, caller) => {
      const made = await enrolment.createToken(relay, agents, ttl, caller);
      if ('refused' in made) throw invalid(made.refused);
      return { token: made.value.token, expiresAt: made.value.expiresAt.toISOString() };
    }),
    revokeRelay: by(async ({ relay, reason }, caller) => {
      if (await warden.revokeRelay(relay, caller, reason)) return {};
      const text = `no agent in gateway.yaml has the relay ${relay}, and none of that name was enrolled`;
      throw new CallRefused(status.NOT_FOUND, text);
    }),
    getPolicy: by(() => warden.policy()),
    explainCommand: by(async (request) => {
      return toExplanation(await warden.explain(toExplained(request)));
    }),
    getStatus: by(() => {
      return toStatusView(warden.status());
    }),
  };
}

/** Makes unary handlers from functions of a request and its caller. */
function answerer(callers: Callers) {
  return <Request, Response>(
    answer: (request: Request, caller: Principal) => Promise<Response> | Response,
  ): handleUnaryCall<Request, Response> => unary((request, call) => answer(request, callers.of(call)));
}

async function theOne(
  warden: WardenApi,
  { id, caller }: { readonly id: string; readonly caller: string },
): Promise<ExecutionRecord> {
  const record = await warden.execution(id, presentName(caller));
  if (record === undefined) throw new CallRefused(status.NOT_FOUND, `no single execution ${id}`);
  return record;
}

function toExplained({ agent, tool, args, uid, cwd }: ExplainCommandRequest): ExplainedCommand {
  return { agent, tool, args, cwd, ...(uid === undefined ? {} : { uid }) };
}

const agentStates: ReadonlyMap<AgentStatus, AgentState> = new Map([
  [AgentStatus.ACTIVE, 'active'],
  [AgentStatus.PAUSED, 'paused'],
  [AgentStatus.KILLED, 'killed'],
]);

const refusals = {
  unknown: status.NOT_FOUND,
  'plan-changed': status.FAILED_PRECONDITION,
  'no-grant': status.FAILED_PRECONDITION,
  'own-request': status.PERMISSION_DENIED,
  'already-resolved': status.FAILED_PRECONDITION,
} as const satisfies Record<Exclude<Resolution['type'], 'resolved'>, unknown>;

const maxGrantSeconds = 24 * 60 * 60;

async function resolve(
  warden: WardenApi,
  request: ResolveApprovalRequest,
  by: Principal,
): Promise<ResolveApprovalResponse> {
  const resolution = await warden.resolveApproval(request.id, toVerdict(request), by);
  if (resolution.type !== 'resolved') throw new CallRefused(refusals[resolution.type], resolution.text);
  return { approval: toApproval(resolution.approval) };
}

function toVerdict({
  verdict,
  reason,
  planHash,
  grantSeconds,
  via,
}: ResolveApprovalRequest): Omit<ShownVerdict, 'by'> {
  if (planHash === '') throw invalid('plan_hash must be that of the plan that was shown');
  if (grantSeconds > maxGrantSeconds) throw invalid(`grant_seconds must be at most ${maxGrantSeconds}`);
  const said = { planHash, reason, via: via === '' ? 'api' : via.slice(0, 32) };
  if (verdict === Verdict.DENY) return { verdict: 'denied', ...said };
  if (verdict !== Verdict.APPROVE) throw invalid('verdict must be given');
  return { verdict: 'approved', ...said, ...(grantSeconds > 0 && { grantMs: grantSeconds * 1000 }) };
}
