import type { AgentConfig } from '../../src/config/gateway-config.ts';
import type { ClawrdenError } from '../../src/errors.ts';
import type { Faults } from '../../src/faults.ts';
import type { Grants } from '../approvals/grants.ts';
import { Halted } from '../execution/execution.ts';
import type { Ledger } from '../execution/ledger.ts';
import type { ExecutionRecord } from '../ports/execution-record.ts';
import type { Assignments } from './assignments.ts';

type Agents = ReadonlyMap<string, AgentConfig>;

export interface HoldToAgentsParts {
  readonly agents: () => Agents;
  readonly ledger: Pick<Ledger, 'executions'>;
  readonly grants: Pick<Grants, 'endAllBut'>;
  /** What lets agents in by themselves. */
  readonly tokens: { readonly endAllBut: (agents: readonly string[]) => Promise<void> };
  readonly assignments: Pick<Assignments, 'endAllBut'>;
  readonly faults: Pick<Faults, 'report'>;
}

/**
 * Called at the start and after every change of the agents, with those before: ends what runs, waits or is asked about
 * and is not theirs, and what was granted or assigned to an agent that is gone, and its API tokens. One that takes a
 * name anew gets nothing of the agent that had it.
 */
export function createHoldToAgents({
  agents,
  ledger,
  grants,
  tokens,
  assignments,
  faults,
}: HoldToAgentsParts) {
  return (before: readonly AgentConfig[]): void => {
    for (const execution of ledger.executions()) {
      const refusal = unboundNow(agents(), execution.record);
      if (refusal !== undefined) execution.stop(refusal);
    }
    const names = before.map(({ name }) => name).filter((name) => agents().has(name));
    for (const [what, held] of Object.entries({ grants, 'API tokens': tokens, assignments }))
      held.endAllBut(names).catch((error) => faults.report(`ending ${what}`, error));
  };
}

/** Why the agents in force end this execution; `undefined` if they do not. */
export function unboundNow(agents: Agents, record: ExecutionRecord): ClawrdenError | undefined {
  const { agent: name, caller } = record;
  if (name === '') return undefined;
  const agent = agents.get(name);
  if (agent === undefined) return gone(`agent ${name} was removed from gateway.yaml`);
  if (caller.startsWith(relayKind) && caller !== `${relayKind}${agent.relay}`)
    return gone(`agent ${name} has another relay now`);
  if (isUserOf(agent, record)) return undefined;
  return gone(`${record.uid}:${record.gid} is no user of agent ${name} any more`);
}

const relayKind = 'relay:';

function gone(text: string): ClawrdenError {
  return new Halted('canceled', text);
}

/** Before it is decided it has no user that counts, and the decision looks at the agents in force. */
function isUserOf({ users }: AgentConfig, { decidedAt, uid, gid }: ExecutionRecord): boolean {
  return decidedAt === undefined || users.some((user) => user.uid === uid && user.gid === gid);
}
