import type { Checked } from '../ports/authentication.ts';
import { ladder, type Principal, type Right, type Role, rightsOf, roles } from '../ports/principal.ts';

/** Who may make a call. */
export interface CallRule {
  readonly roles: readonly Role[];
  /**
   * `agents`: it is about agents, and concerns those of the caller's scope only. `all`: it is about everything, so
   * the scope must be all agents. `own`: it is about the caller alone.
   */
  readonly about: 'agents' | 'all' | 'own';
}

/** The rung and all above it. */
function from(rung: (typeof ladder)[number]): readonly Role[] {
  return ladder.slice(ladder.indexOf(rung));
}

const anybody = { roles, about: 'own' } as const;
const certified = { roles: ['relay', 'orchestrator', ...ladder], about: 'own' } as const;
const relays = { roles: ['relay'], about: 'own' } as const;
const looks = { roles: from('viewer'), about: 'agents' } as const;
const looksAtAll = { roles: from('viewer'), about: 'all' } as const;
const looksAround = { roles: from('viewer'), about: 'own' } as const;
const looksForAgents = { roles: ['orchestrator', ...from('viewer')], about: 'agents' } as const;
const looksAsAgent = { roles: ['agent', ...from('viewer')], about: 'agents' } as const;
const runs = { roles: ['agent', 'orchestrator', ...from('operator')], about: 'agents' } as const;
const agentsOwn = { roles: ['agent'], about: 'agents' } as const;
const approves = { roles: from('approver'), about: 'agents' } as const;
const operates = { roles: from('operator'), about: 'agents' } as const;
const operatesAll = { roles: from('operator'), about: 'all' } as const;
const administers = { roles: from('admin'), about: 'all' } as const;

/** Every call of every door. What is not here nobody may make. The page docs/security.md shows it. */
export const callRules: ReadonlyMap<string, CallRule> = new Map<string, CallRule>(
  Object.entries({
    'ExecutionService/Execute': {
      roles: ['relay', 'agent', 'orchestrator', ...from('operator')],
      about: 'agents',
    },
    'RelayService/Token': anybody,
    'RelayService/Renew': certified,
    'RelayService/Synchronize': relays,
    'RelayService/Carry': relays,
    'RelayService/WayOut': relays,
    'WardenService/ListExecutions': looks,
    'WardenService/GetExecution': looks,
    'WardenService/GetOutput': operates,
    'WardenService/GetRecording': operates,
    'WardenService/FollowOutput': operates,
    'WardenService/ListApprovals': looks,
    'WardenService/GetApproval': looks,
    'WardenService/WatchApprovals': looks,
    'WardenService/ResolveApproval': approves,
    'WardenService/ListGrants': looks,
    'WardenService/RevokeGrant': approves,
    'WardenService/SetAgentState': operates,
    'WardenService/SetLockdown': operatesAll,
    'WardenService/ListAgents': looksForAgents,
    'WardenService/ListHosts': looksAtAll,
    'WardenService/SetHostDraining': operatesAll,
    'WardenService/ListRelays': looksAtAll,
    'WardenService/ListSessions': looks,
    'WardenService/ResetSessions': operates,
    'WardenService/ListTools': looksAsAgent,
    'WardenService/GetTool': looksAsAgent,
    'WardenService/AssignTool': administers,
    'WardenService/UnassignTool': administers,
    'WardenService/GetSecrets': administers,
    'WardenService/LearnEgress': administers,
    'WardenService/ListAudit': looksAtAll,
    'WardenService/GetWorkspace': looks,
    'WardenService/ListKeptFiles': looks,
    'WardenService/RestoreKeptFile': operates,
    'WardenService/TrustWorkspace': operates,
    'WardenService/ResetReplica': operates,
    'WardenService/CreateEnrolmentToken': administers,
    'WardenService/RevokeRelay': administers,
    'WardenService/Revoke': administers,
    'WardenService/SetUser': administers,
    'WardenService/ListUsers': administers,
    'WardenService/RemoveUser': administers,
    'WardenService/LinkUser': administers,
    'WardenService/UnlinkUser': administers,
    'WardenService/CreateApiToken': administers,
    'WardenService/ListApiTokens': administers,
    'WardenService/RotateApiToken': administers,
    'WardenService/RemoveApiToken': administers,
    'WardenService/CreateProgramCode': administers,
    'WardenService/RotateAuthority': administers,
    'WardenService/RotateSigningKey': administers,
    'WardenService/CreateSignInCode': { roles: ladder, about: 'own' },
    'WardenService/GetPolicy': looksAtAll,
    'WardenService/ExplainCommand': looks,
    'WardenService/GetStatus': looksAtAll,
    'GET /healthz': anybody,
    'GET /readyz': looksAtAll,
    'GET /metrics': looksAtAll,
    'GET /api/v1/status': looksAtAll,
    'POST /api/v1/executions': runs,
    'GET /api/v1/executions': looks,
    'GET /api/v1/executions/{id}': { roles: ['agent', 'orchestrator', ...from('viewer')], about: 'agents' },
    'GET /api/v1/executions/{id}/result': runs,
    'DELETE /api/v1/executions/{id}': runs,
    'GET /api/v1/executions/{id}/follow': operates,
    'GET /api/v1/executions/{id}/output': operates,
    'GET /api/v1/executions/{id}/recording': operates,
    'GET /api/v1/approvals': looks,
    'GET /api/v1/approvals/{id}': looks,
    'POST /api/v1/approvals/{id}/verdict': approves,
    'GET /api/v1/grants': looks,
    'DELETE /api/v1/grants/{id}': approves,
    'GET /api/v1/agents': looksForAgents,
    'PUT /api/v1/agents/{name}/state': operates,
    'PUT /api/v1/lockdown': operatesAll,
    'GET /api/v1/hosts': looksAtAll,
    'PUT /api/v1/hosts/{name}/state': operatesAll,
    'GET /api/v1/relays': looksAtAll,
    'GET /api/v1/sessions': looks,
    'DELETE /api/v1/sessions/{agent}': operates,
    'GET /api/v1/audit': looksAtAll,
    'GET /api/v1/tools': looksAsAgent,
    'GET /api/v1/tools/{name}': looksAsAgent,
    'PUT /api/v1/agents/{name}/tools/{tool}': administers,
    'DELETE /api/v1/agents/{name}/tools/{tool}': administers,
    'GET /api/v1/users': administers,
    'POST /api/v1/users': administers,
    'DELETE /api/v1/users/{name}': administers,
    'POST /api/v1/users/{name}/links': administers,
    'DELETE /api/v1/users/{name}/links/{id}': administers,
    'GET /api/v1/tokens': administers,
    'POST /api/v1/tokens': administers,
    'POST /api/v1/tokens/{name}/rotate': administers,
    'DELETE /api/v1/tokens/{name}': administers,
    'POST /api/v1/tokens/{name}/code': administers,
    'DELETE /api/v1/principals/{kind}/{name}': administers,
    'GET /api/v1/policy': looksAtAll,
    'POST /api/v1/policy/explain': looks,
    // The text is the caller's own, and nothing of the gateway's is in the answer.
    'POST /api/v1/policy/check': looksAround,
    'GET /api/v1/events': looksForAgents,
    'POST /api/v1/session': anybody,
    'GET /api/v1/session': anybody,
    'DELETE /api/v1/session': anybody,
    'GET /api/v1/oidc': anybody,
    'POST /api/v1/oidc/browser': anybody,
    'POST /api/v1/oidc/authorization': anybody,
    'POST /api/v1/oidc/device': anybody,
    'POST /api/v1/oidc/certificate': anybody,
    'GET /api/v1/openapi.json': looksAround,
    'POST /mcp': agentsOwn,
    'POST /mcp list_programs': agentsOwn,
    'POST /mcp help': agentsOwn,
    'POST /mcp execute': agentsOwn,
    'POST /mcp await_execution': agentsOwn,
    'POST /mcp cancel_execution': agentsOwn,
    'POST /mcp read_output': agentsOwn,
    'POST /mcp resources': agentsOwn,
    'grpc.health.v1.Health/Check': anybody,
    'grpc.health.v1.Health/List': anybody,
    'grpc.health.v1.Health/Watch': anybody,
    'grpc.reflection.v1.ServerReflection/ServerReflectionInfo': anybody,
    'grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo': anybody,
  } satisfies Record<string, CallRule>),
);

/** The caller as this call sees it: with those of its rights that permit the call, each by itself. */
export function permit(principal: Principal, call: string): Checked<Principal> {
  const rule = callRules.get(call);
  if (rule === undefined) return { refused: 'nobody may make this call' };
  const rights = rightsOf(principal);
  const ofRole = rights.filter(({ role }) => rule.roles.includes(role));
  if (ofRole.length === 0) return { refused: `this needs the role ${either(rule.roles)}` };
  const [first, ...also] = rule.about === 'all' ? ofRole.filter(isOfAll) : ofRole;
  if (first === undefined) return { refused: 'this is about more than the agents of your scope' };
  if (also.length + 1 === rights.length) return { value: principal };
  const { also: _all, ...rest } = principal;
  return { value: { ...rest, ...first, ...(also.length > 0 && { also }) } };
}

/** Why the principal may not make this call; undefined if it may. */
export function whyNot(principal: Principal, call: string): string | undefined {
  const permitted = permit(principal, call);
  return 'refused' in permitted ? permitted.refused : undefined;
}

function isOfAll({ scope }: Right): boolean {
  return Object.keys(scope).length === 0;
}

function either(names: readonly string[]): string {
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} or ${last}`;
}
