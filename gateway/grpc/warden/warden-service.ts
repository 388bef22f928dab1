import { type handleUnaryCall, status } from '@grpc/grpc-js';
import type { Faults } from '../../../src/faults.ts';
import {
  AgentStatus,
  type ExplainCommandRequest,
  type RevokeRelayRequest,
  type RevokeRelayResponse,
  type WardenServiceServer,
} from '../../../src/gen/clawrden/v1/warden.ts';
import { longestReason } from '../../../src/principal-limits.ts';
import type { LookTurns } from '../../connections/look-turns.ts';
import { createSeal } from '../../lists/seal.ts';
import type { AgentState } from '../../ports/agent-state.ts';
import type { Enrolment } from '../../ports/authentication.ts';
import type { ExecutionRecord } from '../../ports/execution-record.ts';
import { type Principal, presentName, principalName } from '../../ports/principal.ts';
import type { ExplainedCommand, WardenApi } from '../../ports/warden-api.ts';
import { type Seen, seenBy } from '../../principals/seen-by.ts';
import type { Callers } from '../calls/authenticate.ts';
import { CallRefused, invalid } from '../calls/errors.ts';
import { unary } from '../calls/unary.ts';
import { whenCanceled } from '../calls/when-canceled.ts';
import { isRead } from '../front/reads.ts';
import { type ApprovalCalls, approvalCalls } from './approval-calls.ts';
import { type AssignmentCalls, assignmentCalls } from './assignment-calls.ts';
import { type FleetCalls, fleetCalls } from './fleet-calls.ts';
import { learnEgress } from './learn-call.ts';
import { followOutput, getRecording, type SeenOfCall } from './output-calls.ts';
import { type PrincipalCalls, principalCalls } from './principal-calls.ts';
import { rotateAuthority, rotateSigningKey } from './rotation-calls.ts';
import { type SessionCalls, sessionCalls } from './session-calls.ts';
import { createSignInCode, type SignIn } from './sign-in-call.ts';
import { wardenLists } from './warden-lists.ts';
import { toExecution, toExplanation, toHalt, toHost, toOutput, toStatusView } from './warden-messages.ts';
import { watchApprovals } from './watch-approvals.ts';
import { workspaceCalls } from './workspace-calls.ts';

export interface WardenServiceParts {
  readonly callers: Callers;
  readonly warden: WardenApi;
  readonly looks: LookTurns;
  readonly enrolment: Enrolment;
  readonly signIn: SignIn;
  readonly faults: Faults;
}

export function wardenService(parts: WardenServiceParts): WardenServiceServer {
  const { warden, enrolment } = parts;
  const by = answerer(parts);
  const seal = createSeal();
  const lists = wardenLists(warden, seal);
  const workspaces = (seen: Seen) => workspaceCalls(seen.warden.workspaces, seal);
  return {
    listExecutions: by((request, _caller, seen) => lists.executions(request, seen)),
    getExecution: by(async (request, _caller, seen) => ({
      execution: toExecution(await theOne(seen.warden, request)),
    })),
    ...streamHandlers(parts),
    getOutput: by(async (request, _caller, seen) => {
      const { caller, id } = await theOne(seen.warden, request);
      return toOutput(id, await warden.output(caller, id));
    }),
    listApprovals: by((request, _caller, seen) => lists.approvals(request, seen)),
    listGrants: by((request, _caller, seen) => lists.grants(request, seen)),
    ...approvalHandlers(by),
    setAgentState: by(async ({ agent, status: wanted, reason }, caller, seen) => {
      const state = agentStates.get(wanted);
      if (state === undefined) throw invalid('status must be active, paused or killed');
      const halt = await seen.warden.setAgentState(agent, state, caller, reason);
      if (halt === undefined) throw new CallRefused(status.NOT_FOUND, `no agent ${agent}`);
      return { halt: toHalt(halt) };
    }),
    setLockdown: by(async ({ on, reason }, caller) => ({
      halt: toHalt(await warden.setLockdown(on, caller, reason)),
    })),
    listAgents: by((request, _caller, seen) => lists.agents(request, seen)),
    listHosts: by((request) => lists.hosts(request)),
    setHostDraining: by(async ({ host: name, draining, reason }, caller) => {
      const host = await warden.setHostDraining(name, draining, caller, reason);
      if (host === undefined) throw new CallRefused(status.NOT_FOUND, `no Docker host ${name}`);
      return { host: toHost(host) };
    }),
    ...fleetHandlers(by, fleetCalls(warden, seal)),
    ...sessionHandlers(by, sessionCalls(seal)),
    getWorkspace: by((request, _caller, seen) => workspaces(seen).get(request)),
    listKeptFiles: by((request, _caller, seen) => workspaces(seen).kept(request)),
    restoreKeptFile: by((request, caller, seen) => workspaces(seen).restore(request, caller)),
    trustWorkspace: by((request, caller, seen) => workspaces(seen).trust(request, caller)),
    resetReplica: by((request, caller, seen) => workspaces(seen).reset(request, caller)),
    ...lettingInHandlers(by, parts),
    revokeRelay: by((request, caller) => revokeRelay(warden, request, caller)),
    ...principalHandlers(by, principalCalls(warden.principals, enrolment, seal)),
    ...assignmentHandlers(by, assignmentCalls(warden.assignments)),
    getSecrets: by(async ({ check }) => ({ secrets: await warden.secrets(check) })),
    ...rotationHandlers(by, warden),
    getPolicy: by(() => warden.policy()),
    explainCommand: by(async (request, caller) =>
      toExplanation(await warden.explain(toExplained(request), caller)),
    ),
    getStatus: by(() => toStatusView(warden.status())),
  };
}

/** What of a request, of its caller, and of what that caller sees, becomes an answer. */
type Answer<Request, Response> = (
  request: Request,
  caller: Principal,
  seen: Seen,
) => Promise<Response> | Response;

type By = ReturnType<typeof answerer>;

function principalHandlers(by: By, calls: PrincipalCalls): Pick<WardenServiceServer, keyof PrincipalCalls> {
  return {
    setUser: by((request, caller) => calls.setUser(request, caller)),
    listUsers: by((request) => calls.listUsers(request)),
    removeUser: by((request, caller) => calls.removeUser(request, caller)),
    linkUser: by((request, caller) => calls.linkUser(request, caller)),
    unlinkUser: by((request, caller) => calls.unlinkUser(request, caller)),
    createApiToken: by((request, caller) => calls.createApiToken(request, caller)),
    listApiTokens: by((request) => calls.listApiTokens(request)),
    rotateApiToken: by((request, caller) => calls.rotateApiToken(request, caller)),
    createProgramCode: by((request, caller) => calls.createProgramCode(request, caller)),
    removeApiToken: by((request, caller) => calls.removeApiToken(request, caller)),
    revoke: by((request, caller) => calls.revoke(request, caller)),
  };
}

function assignmentHandlers(
  by: By,
  calls: AssignmentCalls,
): Pick<WardenServiceServer, keyof AssignmentCalls> {
  return {
    assignTool: by((request, caller) => calls.assignTool(request, caller)),
    unassignTool: by((request, caller) => calls.unassignTool(request, caller)),
  };
}

function streamHandlers({
  callers,
  warden,
  looks: { nextPiece },
  faults,
}: WardenServiceParts): Pick<
  WardenServiceServer,
  'getRecording' | 'followOutput' | 'watchApprovals' | 'learnEgress'
> {
  const seenOf: SeenOfCall = (call) => {
    const caller = callers.of(call);
    return { caller, warden: seenBy(warden, caller).warden };
  };
  return {
    getRecording: getRecording(seenOf, nextPiece),
    followOutput: followOutput(seenOf, { faults, nextPiece }),
    watchApprovals: watchApprovals(seenOf, { faults, nextPiece }),
    learnEgress: learnEgress(seenOf),
  };
}

function fleetHandlers(by: By, calls: FleetCalls): Pick<WardenServiceServer, keyof FleetCalls> {
  return {
    listRelays: by((request) => calls.listRelays(request)),
    listTools: by((request, _caller, seen) => calls.listTools(request, seen)),
    getTool: by((request, _caller, seen) => calls.getTool(request, seen)),
    listAudit: by((request) => calls.listAudit(request)),
  };
}

function sessionHandlers(by: By, calls: SessionCalls): Pick<WardenServiceServer, keyof SessionCalls> {
  return {
    listSessions: by((request, _caller, seen) => calls.listSessions(request, seen)),
    resetSessions: by((request, caller, seen) => calls.resetSessions(request, caller, seen)),
  };
}

function lettingInHandlers(
  by: By,
  { callers, enrolment, signIn }: WardenServiceParts,
): Pick<WardenServiceServer, 'createEnrolmentToken' | 'createSignInCode'> {
  return {
    createEnrolmentToken: by(async ({ relay, agents, ttl }, caller) => {
      const made = await enrolment.createToken(relay, agents, ttl, caller);
      if ('refused' in made) throw invalid(made.refused);
      return { token: made.value.token, expiresAt: made.value.expiresAt.toISOString() };
    }),
    createSignInCode: unary((_request, call) => createSignInCode(signIn, callers.admissionOf(call))),
  };
}

function rotationHandlers(
  by: By,
  { rotations }: WardenApi,
): Pick<WardenServiceServer, 'rotateAuthority' | 'rotateSigningKey'> {
  return {
    rotateAuthority: by((request, caller) => rotateAuthority(request, caller, rotations)),
    rotateSigningKey: by((request, caller) => rotateSigningKey(request, caller, rotations)),
  };
}

function approvalHandlers(by: By): Pick<WardenServiceServer, keyof ApprovalCalls> {
  return {
    getApproval: by((request, _caller, { warden }) => approvalCalls(warden).getApproval(request)),
    resolveApproval: by((request, caller, { warden }) =>
      approvalCalls(warden).resolveApproval(request, caller),
    ),
    revokeGrant: by((request, caller, { warden }) => approvalCalls(warden).revokeGrant(request, caller)),
  };
}

/** Who reads takes turns, over every door together; what changes something does not wait for it. */
function answerer({ callers, warden, looks }: WardenServiceParts) {
  return <Request extends object, Response>(
    answer: Answer<Request, Response>,
  ): handleUnaryCall<Request, Response> =>
    unary((request, call) => {
      const caller = callers.of(call);
      checkReason(request);
      const answered = async () => answer(request, caller, seenBy(warden, caller));
      return isRead(call.getPath())
        ? looks.take(principalName(caller), whenCanceled(call), answered)
        : answered();
    });
}

function checkReason(request: { readonly reason?: unknown }): void {
  const { reason } = request;
  if (typeof reason === 'string' && reason.length > longestReason)
    throw invalid(`reason has more than ${longestReason} characters`);
}

async function revokeRelay(
  warden: WardenApi,
  { relay, reason }: RevokeRelayRequest,
  caller: Principal,
): Promise<RevokeRelayResponse> {
  const revoked = await warden.principals.revoke({ kind: 'relay', name: relay }, caller, reason);
  if ('refused' in revoked) throw new CallRefused(status.NOT_FOUND, revoked.refused);
  return {};
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
