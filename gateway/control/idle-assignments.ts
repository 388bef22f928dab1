import type { AgentConfig } from '../../src/config/gateway-config.ts';
import { assignedRule } from '../../src/policy/assignment.ts';
import type { PolicyFile } from '../live-config/policy-file.ts';

export interface IdleAssignmentsParts {
  readonly policyFile: Pick<PolicyFile, 'current' | 'assignments'>;
  readonly agents: () => ReadonlyMap<string, AgentConfig>;
}

/** A line for each assignment that matches nothing as things are. */
export function idleAssignments({ policyFile, agents }: IdleAssignmentsParts): string[] {
  const { tools, version } = policyFile.current();
  // The first format takes none, and its warnings say so.
  if (version === 0) return [];
  return policyFile.assignments().flatMap((one) => {
    const rule = assignedRule(one).name;
    if (!agents().has(one.agent)) return [`${rule} matches nothing: there is no agent ${one.agent}`];
    return tools.has(one.tool) ? [] : [`${rule} matches nothing: nothing defines the tool ${one.tool}`];
  });
}
