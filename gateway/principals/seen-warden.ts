import type { WardenApi } from '../ports/warden-api.ts';
import type { WorkspaceOperations, WorkspaceRefusal } from '../ports/workspace-view.ts';
import type { Sees } from './sees.ts';

/**
 * What a scope leaves of the gateway: of all other agents it says the same as of agents that do not exist. What is
 * about more than agents stays; the table of roles refuses it to a scope.
 */
export function seenWarden(warden: WardenApi, sees: Sees): WardenApi {
  if (sees.all) return warden;
  const ofAgents = <Row extends { readonly agent: string }>(rows: readonly Row[]) =>
    rows.filter(({ agent }) => sees.agent(agent));
  const approvals = () => ofAgents(warden.approvals());
  const grants = () => ofAgents(warden.grants());
  const isOpen = (id: string) => ofAgents(warden.running()).some((record) => record.id === id);
  const agents = sees.names() ?? [];
  return {
    ...warden,
    running: () => ofAgents(warden.running()),
    history: (filter) => warden.history({ ...filter, agents }),
    search: (search) => warden.search({ ...search, agents }),
    execution: (id, caller) => warden.execution(id, caller, agents),
    cancel: async (id, by) => (isOpen(id) ? warden.cancel(id, by) : undefined),
    follow: async (id, by) => (isOpen(id) ? warden.follow(id, by) : undefined),
    approvals,
    resolveApproval: async (id, verdict, by) =>
      approvals().some((approval) => approval.id === id)
        ? warden.resolveApproval(id, verdict, by)
        : { type: 'unknown', text: `no pending approval ${id}` },
    grants,
    revokeGrant: async (id, by, reason) =>
      grants().some((grant) => grant.id === id) ? warden.revokeGrant(id, by, reason) : undefined,
    setAgentState: async (agent, state, by, reason) =>
      sees.agent(agent) ? warden.setAgentState(agent, state, by, reason) : undefined,
    agents: () => warden.agents().filter(({ name }) => sees.agent(name)),
    tools: () => warden.tools(agents),
    sessions: () => ofAgents(warden.sessions()),
    resetSessions: async (agent, by, reason) =>
      sees.agent(agent) ? warden.resetSessions(agent, by, reason) : undefined,
    workspaces: seenWorkspaces(warden.workspaces, sees),
  };
}

function seenWorkspaces(workspaces: WorkspaceOperations, sees: Sees): WorkspaceOperations {
  const unknown = async (agent: string): Promise<WorkspaceRefusal> => ({
    refused: 'unknown',
    text: `no agent ${agent}`,
  });
  const only =
    <Rest extends readonly unknown[], Result>(act: (agent: string, ...rest: Rest) => Promise<Result>) =>
    (agent: string, ...rest: Rest): Promise<Result | WorkspaceRefusal> =>
      sees.agent(agent) ? act(agent, ...rest) : unknown(agent);
  return {
    ...workspaces,
    view: only(workspaces.view),
    keptFiles: async (filter) => (sees.agent(filter.agent) ? workspaces.keptFiles(filter) : []),
    restore: only(workspaces.restore),
    trust: only(workspaces.trust),
    reset: only(workspaces.reset),
  };
}
