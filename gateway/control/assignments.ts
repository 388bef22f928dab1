import type { AgentConfig } from '../../src/config/gateway-config.ts';
import { nearestHint } from '../../src/config/nearest.ts';
import { type Assignment, assignedRule } from '../../src/policy/assignment.ts';
import type { Policy } from '../../src/policy/policy.ts';
import { reviewRule } from '../../src/policy/review/review-rule.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { AssignmentRecord } from '../audit/principal-records.ts';
import type { PolicyFile } from '../live-config/policy-file.ts';
import type { Assigned, AssignedTool, AssignmentOperations } from '../ports/assignment-operations.ts';
import type { Checked } from '../ports/authentication.ts';
import { principalName } from '../ports/principal.ts';
import { dropAssignment, keepAssignment, readAssignments } from '../store/assignments.ts';
import type { Database } from '../store/database.ts';
import { loosen, tighten } from './lasting-change.ts';

/** Tools that admins gave to single agents: rules beside those of policy.yaml. */
export interface Assignments extends AssignmentOperations {
  /** Ends those of every agent but these. */
  readonly endAllBut: (agents: Iterable<string>) => Promise<void>;
}

export interface AssignmentsParts {
  readonly database: Database;
  readonly audit: Pick<AuditLog, 'append' | 'unkept'>;
  readonly policyFile: Pick<PolicyFile, 'current' | 'assignments' | 'assign'>;
  readonly agents: () => ReadonlyMap<string, AgentConfig>;
}

const assignmentsAtMost = 1000;

/** From now on those of the database are judged with the policy's rules. */
export async function openAssignments(parts: AssignmentsParts): Promise<Assignments> {
  const { database, audit, policyFile } = parts;
  const kept = await readAssignments(database);
  if (kept.length > 0)
    await policyFile.assign(
      () => kept,
      async ({ hash }, apply) => {
        await audit.append({ type: 'lifecycle', event: 'policy', text: `policy ${hash}: assignments` });
        apply();
      },
    );
  return {
    assign: (wanted, by, reason) => assign({ ...wanted, by: principalName(by) }, reason, parts),
    unassign: async (of, by, reason) => {
      const found = policyFile.assignments().find((one) => isOf(one, of));
      if (found === undefined) return { refused: `${of.tool} is not assigned to ${of.agent}` };
      await unassign([found], principalName(by), reason, parts);
      return { value: { rule: assignedRule(found).name, warnings: [] } };
    },
    endAllBut: async (agents) => {
      const names = new Set(agents);
      const ended = policyFile.assignments().filter(({ agent }) => !names.has(agent));
      if (ended.length > 0) await unassign(ended, 'gateway', 'gateway.yaml has no such agent', parts);
    },
  };
}

async function assign(
  wanted: Assignment,
  reason: string,
  { database, audit, policyFile, agents }: AssignmentsParts,
): Promise<Checked<Assigned>> {
  const refused = whyNot(wanted, policyFile, agents());
  if (refused !== undefined) return { refused };
  const rule = assignedRule(wanted).name;
  let found: Checked<Assigned> = { value: { rule, warnings: [] } };
  await policyFile.assign(
    (now) => [...now.filter((one) => !isOf(one, wanted)), wanted].toSorted(byName),
    async (policy, apply) => {
      found = review(policy, rule);
      if ('refused' in found) return;
      const record = recordOf(wanted, wanted.by, reason);
      const row = { agent: wanted.agent, tool: wanted.tool, action: wanted.action, set_by: wanted.by };
      await loosen({
        apply,
        keep: () => keepAssignment(database, { ...row, set_at: Date.now() }),
        record: () => audit.append({ ...record, event: 'assigned' }),
        recordStay: () => audit.append({ ...record, event: 'withdrawn' }),
        unkept: audit.unkept,
      });
    },
  );
  return found;
}

function unassign(
  ended: readonly Assignment[],
  by: string,
  reason: string,
  { database, audit, policyFile }: AssignmentsParts,
): Promise<void> {
  return policyFile.assign(
    (now) => now.filter((one) => !ended.some((of) => isOf(one, of))),
    (_policy, apply) =>
      tighten({
        apply,
        keep: () => Promise.all(ended.map((of) => dropAssignment(database, of))),
        record: () =>
          Promise.all(ended.map((of) => audit.append({ ...recordOf(of, by, reason), event: 'unassigned' }))),
        unkept: audit.unkept,
      }),
  );
}

function whyNot(
  { agent, tool }: Assignment,
  { current, assignments }: Pick<PolicyFile, 'current' | 'assignments'>,
  agents: ReadonlyMap<string, AgentConfig>,
): string | undefined {
  const { tools, version } = current();
  if (version === 0) return 'the policy has the format of the first Clawrden, which takes no assignments';
  if (!agents.has(agent))
    return `there is no agent "${agent}"${nearestHint(agent, [...agents.keys()], 'agent')}`;
  if (!tools.has(tool))
    return `nothing defines the tool "${tool}"${nearestHint(tool, [...tools.keys()], 'tool')}`;
  return assignments().length < assignmentsAtMost ? undefined : `there are ${assignmentsAtMost} assignments`;
}

function review(policy: Policy, rule: string): Checked<Assigned> {
  const { errors, warnings } =
    policy.version === 1
      ? reviewRule(policy, rule)
      : { errors: ['the policy takes no assignments'], warnings: [] };
  return errors.length > 0 ? { refused: errors.join('; ') } : { value: { rule, warnings } };
}

function isOf(one: AssignedTool, { agent, tool }: AssignedTool): boolean {
  return one.agent === agent && one.tool === tool;
}

function byName(a: Assignment, b: Assignment): number {
  const [one, other] = [`${a.agent} ${a.tool}`, `${b.agent} ${b.tool}`];
  return one < other ? -1 : Number(one > other);
}

function recordOf(
  { agent, tool, action }: Assignment,
  by: string,
  reason: string,
): Omit<AssignmentRecord, 'event'> {
  return { type: 'assignment', agent, tool, action, by, reason };
}
