import { deadline } from '../../src/abort.ts';
import type { AgentConfig } from '../../src/config/gateway-config.ts';
import type { ClawrdenError } from '../../src/errors.ts';
import { Gate } from '../../src/gate.ts';
import type { NextPiece } from '../../src/next-piece.ts';
import { knownTools, tellOrigin } from '../../src/policy/arguments/tools/known-tools.ts';
import type { Policy } from '../../src/policy/policy.ts';
import { oneApprover } from '../../src/policy/rules/consent.ts';
import { TooSoon } from '../connections/call-budget.ts';
import type { StartRequest } from '../ports/channel.ts';
import type { ImageFacts } from '../ports/engine.ts';
import { allAgents, type Principal } from '../ports/principal.ts';
import type { ExplainedCommand, Explanation } from '../ports/warden-api.ts';
import { isWithin } from '../principals/sees.ts';
import type { Budgets } from './budgets.ts';
import { judge } from './judge.ts';
import { planned } from './judged.ts';
import type { PlanSources } from './seal-plan.ts';

const withinMs = 10_000;

export interface ExplainParts extends Omit<PlanSources, 'resolveImage'> {
  /** `labels`: those of the agent's hosts. */
  readonly resolveImage: (reference: string, labels: AgentConfig['hosts']) => Promise<ImageFacts>;
  /** Of those who ask; nothing of an agent's is spent. */
  readonly budgets: Pick<Budgets, 'charge'>;
  readonly policy: () => Policy;
  readonly agents: () => ReadonlyMap<string, AgentConfig>;
  readonly halted: (agent: string) => ClawrdenError | undefined;
  readonly nextPiece: NextPiece;
}

/** Agents that `asker` does not see are not known. */
export type Explain = (command: ExplainedCommand, asker: Principal) => Promise<Explanation>;

/**
 * The same, paid for by who asks before anything is judged, and one at a time: a long command takes a while to judge, on
 * the thread that serves everybody. Rejects with `rate-limit`.
 */
export function createExplain({ budgets, nextPiece, ...parts }: ExplainParts): Explain {
  const explain = explainer(parts);
  const turn = new Gate(() => 1);
  return async (command, asker) => {
    budgets.charge(asker, requestFor({ ...command, agent: '' }, undefined));
    using until = deadline(withinMs, () => new TooSoon('others ask what commands would do', withinMs));
    return await turn.through(until.signal, async () => {
      await nextPiece();
      return await explain(command, asker);
    });
  };
}

/** What `execute` would do with a command, by the same functions; it counts no rates and asks nobody. */
function explainer({
  policy: inForce,
  agents: bound,
  halted,
  resolveImage,
  ...sources
}: Omit<ExplainParts, 'budgets' | 'nextPiece'>): Explain {
  return async (command, asker) => {
    const [policy, agents] = [inForce(), bound()];
    const named = agents.get(command.agent);
    const agent = named !== undefined && isWithin(asker, named) ? named : undefined;
    const judgement = judge(policy, agents, callerFor(agent, asker), requestFor(command, agent), halted);
    const { decision } = judgement;
    const { action, rule, reason, code = '' } = decision;
    const isDenied = action === 'deny';
    const { sealed, refusal } = await planned(judgement, policy, {
      ...sources,
      resolveImage: (reference) => resolveImage(reference, agent?.hosts ?? {}),
    });
    return {
      ...{ action, rule, code, questionMs: 0 },
      line: policy.rules.find(({ name }) => name === rule)?.line ?? 0,
      reason: isDenied && refusal !== undefined ? refusal.message : reason,
      policyHash: policy.hash,
      plan: sealed?.canonical ?? '',
      problem: isDenied ? '' : (refusal?.message ?? ''),
      known: tellOrigin((policy.known ?? knownTools).originOf(command.tool)),
      ...(action === 'ask' && {
        questionMs: policy.approvalExpiresMs,
        consent: decision.consent ?? oneApprover,
      }),
    };
  };
}

function callerFor(
  agent: AgentConfig | undefined,
  { scope, also = [] }: Pick<Principal, 'scope' | 'also'>,
): Principal {
  if (agent === undefined) return { kind: 'program', name: '', role: 'orchestrator', scope, also };
  return { kind: 'relay', name: agent.relay, role: 'relay', scope: allAgents };
}

function requestFor(
  { agent, tool, args, uid, cwd }: ExplainedCommand,
  known: AgentConfig | undefined,
): StartRequest {
  const user = known?.users.find((each) => each.uid === uid) ?? known?.users[0];
  const identity = user === undefined ? undefined : { uid: uid ?? user.uid, gid: user.gid };
  return {
    executionId: '',
    agent,
    hostLabels: {},
    ...(identity === undefined ? {} : { identity }),
    command: { ...plainCommand, tool, args, cwd: cwd === '' ? (known?.cwd ?? '') : cwd },
  };
}

const plainCommand = {
  env: [],
  umask: 0o22,
  stdio: ['null', 'pipe', 'pipe'],
  ignored: [],
  version: 1,
} as const;
