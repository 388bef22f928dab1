import { linesOfAudit } from '../../src/audit/read-from.ts';
import type { AgentConfig } from '../../src/config/gateway-config.ts';
import type { Faults } from '../../src/faults.ts';
import type { Approvals } from '../approvals/approvals.ts';
import type { Grants } from '../approvals/grants.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Ledger } from '../execution/ledger.ts';
import type { Explain } from '../judging/explain.ts';
import { toolViews } from '../judging/tool-views.ts';
import type { PolicyFile } from '../live-config/policy-file.ts';
import { gatewayMetrics } from '../metrics/gateway-metrics.ts';
import type { AssignmentOperations } from '../ports/assignment-operations.ts';
import type { PrincipalOperations } from '../ports/known-principals.ts';
import type { Metric } from '../ports/metrics.ts';
import type { CheckPolicy } from '../ports/policy-check.ts';
import { principalName } from '../ports/principal.ts';
import type { Rotations } from '../ports/rotations.ts';
import type { HostView, StatusView, WardenApi } from '../ports/warden-api.ts';
import type { WorkspaceOperations } from '../ports/workspace-view.ts';
import { createSees } from '../principals/sees.ts';
import type { DockerHost } from '../scheduler/hosts/docker-host.ts';
import type { Fleet } from '../scheduler/hosts/fleet.ts';
import { imagesOf, imagesProblem } from '../scheduler/hosts/images.ts';
import type { Scheduler } from '../scheduler/placement/scheduler.ts';
import type { Sessions } from '../scheduler/sessions/sessions.ts';
import type { History } from '../store/history.ts';
import type { Outputs } from '../store/outputs.ts';
import type { AgentStates } from './agent-states.ts';
import { agentViews } from './agent-views.ts';
import type { Breakers } from './breakers.ts';
import { cancelExecution } from './cancel-execution.ts';
import type { Drains } from './drains.ts';
import { followExecution } from './follow-execution.ts';
import { idleAssignments } from './idle-assignments.ts';
import type { KillSwitch } from './kill-switch.ts';
import { refusingRelays, relayViews } from './relay-views.ts';
import type { Relays } from './relays.ts';
import { resetSessions } from './reset-sessions.ts';
import { revokeGrant } from './revoke-grant.ts';
import { endingSessions } from './revoke-sessions.ts';

export interface WardenParts {
  readonly version: string;
  readonly policyFile: PolicyFile;
  readonly explain: Explain;
  readonly checkPolicy: CheckPolicy;
  readonly agents: () => ReadonlyMap<string, AgentConfig>;
  /** Empty, or why the present gateway.yaml is not in force. */
  readonly configProblem: () => string;
  readonly ledger: Ledger;
  readonly history: History;
  readonly outputs: Outputs;
  readonly approvals: Approvals;
  readonly grants: Grants;
  readonly scheduler: Scheduler;
  readonly sessions: Pick<Sessions, 'list' | 'end'>;
  readonly fleet: Fleet;
  readonly drains: Drains;
  readonly relays: Relays;
  readonly audit: AuditLog;
  readonly auditFile: string;
  readonly states: AgentStates;
  readonly killSwitch: KillSwitch;
  readonly breakers: Breakers;
  readonly assignments: AssignmentOperations;
  readonly learn: WardenApi['learn'];
  readonly secrets: WardenApi['secrets'];
  readonly principals: PrincipalOperations;
  /** Rules of the policy that ask for more people than there are. */
  readonly lackingApprovers: () => string[];
  readonly rotations: Rotations;
  /** What a person should know of rotations that are under way. */
  readonly rotating: () => readonly string[];
  /** What parts of the gateway count for a monitor. */
  readonly counted: readonly { readonly metrics: () => readonly Metric[] }[];
  /** Of certificates that come from files. */
  readonly doorsProblems: () => readonly string[];
  readonly faults: Faults;
  readonly workspaces: WorkspaceOperations;
}

/** What principals see and do, built from the parts that know it. */
export function createWardenApi(parts: WardenParts): WardenApi {
  const startedAt = Date.now();
  const { history, ledger, approvals } = parts;
  const api: WardenApi = {
    running: () => ledger.running(),
    history: history.page,
    search: history.search,
    execution: history.find,
    follow: (id, by) => followExecution(parts, id, by),
    cancel: (id, by) => cancelExecution(ledger, id, by),
    output: parts.outputs.find,
    recording: parts.outputs.recordings.find,
    approvals: () => approvals.pending(),
    earlierAnswers: approvals.earlier,
    watchApprovals: approvals.watch,
    resolveApproval: (id, verdict, by) => approvals.resolve(id, { ...verdict, by: principalName(by) }),
    grants: parts.grants.list,
    revokeGrant: (id, by, reason) => revokeGrant(id, principalName(by), reason, parts),
    setAgentState: async (agent, state, by, reason) => {
      if (!parts.agents().has(agent)) return undefined;
      if (state === 'active') parts.breakers.reset(agent);
      return parts.killSwitch.set(agent, state, by, reason);
    },
    setLockdown: (on, by, reason) => parts.killSwitch.lockdown(on, by, reason),
    agents: () => agentViews(parts),
    hosts: () => parts.scheduler.hosts.map((host) => hostView(host, parts)),
    relays: () => relayViews(parts.agents(), parts.relays),
    sessions: parts.sessions.list,
    resetSessions: (agent, by, reason) => resetSessions(agent, by, reason, parts),
    setHostDraining: async (name, draining, by, reason) => {
      const host = parts.scheduler.hosts.find((each) => each.name === name);
      if (host === undefined) return undefined;
      const apply = () => {
        if (!draining) parts.workspaces.tryAgain(name);
        parts.fleet.setDraining(name, draining);
      };
      await parts.drains.set({ host: name, draining, by, reason }, apply);
      return hostView(host, parts);
    },
    audit: (from, count) => linesOfAudit(parts.auditFile, from, count),
    tools: (only) => toolViews(parts.policyFile.current(), parts.agents(), only),
    assignments: parts.assignments,
    learn: parts.learn,
    secrets: parts.secrets,
    policy: () => {
      const { policyFile } = parts;
      const problem = [policyFile.problem(), ...policyFile.toolProblems()].filter(Boolean).join('; ');
      return { hash: policyFile.current().hash, text: policyFile.text(), problem };
    },
    explain: parts.explain,
    checkPolicy: parts.checkPolicy,
    within: (caller) => createSees(caller, parts.agents),
    workspaces: parts.workspaces,
    principals: endingSessions(parts.principals, parts),
    rotations: parts.rotations,
    status: () => statusView(startedAt, parts),
    metrics: () => [...gatewayMetrics(api), ...parts.counted.flatMap(({ metrics }) => metrics())],
  };
  return api;
}

function hostView(host: DockerHost, { scheduler, policyFile, workspaces }: WardenParts): HostView {
  return {
    name: host.name,
    state: host.state,
    draining: host.draining,
    engine: host.config.engine,
    slots: host.config.slots,
    running: host.running,
    queued: scheduler.queuedFor(host),
    labels: host.config.labels,
    problem:
      host.problem ||
      workspaces.leftOut(host.name) ||
      imagesProblem(host, scheduler.hosts, imagesOf(policyFile.current())),
    warm: host.warm.size - host.warm.coming,
    workspaceBytes: workspaces.bytesOn(host.name),
  };
}

function statusView(startedAt: number, parts: WardenParts): StatusView {
  const records = parts.ledger.running();
  const { policyFile } = parts;
  return {
    version: parts.version,
    policyHash: policyFile.current().hash,
    startedAt,
    problem: parts.audit.problem() || parts.history.problem(),
    running: records.filter(({ state }) => state === 'running').length,
    queued: parts.scheduler.queued,
    pending: parts.approvals.pending().length,
    warnings: [
      ...parts.audit.warnings(),
      ...faultsFound(parts.faults),
      ...parts.rotating(),
      ...parts.doorsProblems(),
      ...notInForce('the policy file', policyFile.problem()),
      ...policyFile.toolProblems().flatMap((problem) => notInForce('a tool file', problem)),
      ...notInForce('gateway.yaml', parts.configProblem()),
      ...policyFile.current().warnings,
      ...idleAssignments(parts),
      ...parts.lackingApprovers(),
      ...followedNowhere(parts),
      ...refusingRelays(parts.relays),
    ],
    lockdown: parts.states.locked(),
  };
}

/** Agents whose workspace is to follow them, and cannot. */
function followedNowhere({ agents, scheduler }: WardenParts): string[] {
  return [...agents().values()].flatMap(({ name, workspace, hosts }) => {
    const wanted = Object.entries(hosts);
    const able = ({ config: { labels } }: DockerHost) =>
      wanted.every(([key, value]) => labels[key] === value);
    if (workspace?.sync === undefined || scheduler.hosts.some(able)) return [];
    const labels = wanted.map(([key, value]) => `${key}=${value}`).join(' ');
    return [`the workspace of agent ${name} follows it, but no Docker host has its labels ${labels}`];
  });
}

function faultsFound(faults: Faults): string[] {
  const count = faults.count();
  return count === 0 ? [] : [`${count} unforeseen faults since the start; look for "unforeseen" in the log`];
}

function notInForce(file: string, problem: string): string[] {
  return problem === '' ? [] : [`${file} is not in force, the last good one is: ${problem}`];
}
