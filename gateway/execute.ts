import type { AgentConfig } from '../src/config/gateway-config.ts';
import { ClawrdenError, toClawrdenError } from '../src/errors.ts';
import { failure, type Outcome, outcomeOf } from '../src/outcome.ts';
import type { Policy } from '../src/policy/policy.ts';
import type { Asked } from './approvals/approvals.ts';
import { type InspectParts, inspected } from './approvals/inspect.ts';
import { type AuthorizeParts, authorize, awaitVerdict, type Permit } from './approvals/permit.ts';
import type { Breakers } from './control/breakers.ts';
import { recordedBytes } from './execution/bounded-records.ts';
import { type Execution, Interrupted } from './execution/execution.ts';
import type { Ledger } from './execution/ledger.ts';
import type { Executors } from './executors/create-executors.ts';
import type { Budgets } from './judging/budgets.ts';
import { agentOf, judge } from './judging/judge.ts';
import type { HoldRates } from './judging/rate-limits.ts';
import { type SealedPlan, sealJudged } from './judging/seal-plan.ts';
import type { Caller } from './ports/caller.ts';
import type { Channel, ResumeRequest, StartRequest } from './ports/channel.ts';
import type { ImageFacts } from './ports/engine.ts';
import type { ImageWish } from './scheduler/hosts/image-pulls.ts';

export interface ExecuteParts extends InspectParts, Executors {
  /** The one in force; an execution takes it once, and asks again only when a person has said yes. */
  readonly policy: () => Policy;
  readonly holdRates: HoldRates;
  readonly budgets: Budgets;
  readonly breakers: Pick<Breakers, 'hold' | 'refused' | 'ended'>;
  readonly agents: ReadonlyMap<string, AgentConfig>;
  /** The kill switch's refusal for new work of an agent. */
  readonly halted: (agent: string) => ClawrdenError | undefined;
  readonly ledger: Ledger;
  readonly authorizing: AuthorizeParts;
  readonly obtainImage: (reference: string, wish: ImageWish) => Promise<ImageFacts>;
}

/** Runs one command for a caller; never throws. Everything that runs a command calls this, and nothing else does. */
export type Execute = (caller: Caller, request: StartRequest, channel: Channel) => Promise<Outcome>;

/** A caller that was cut off while a person is asked takes up its place again; never throws. */
export type Resume = (caller: Caller, request: ResumeRequest, channel: Channel) => Promise<Outcome>;

export function createExecute(parts: ExecuteParts): Execute {
  const { agents, budgets, breakers, ledger, recorder } = parts;

  /** Whose it is is known: its agent pays for it. */
  async function begin(caller: Caller, request: StartRequest, channel: Channel): Promise<Outcome> {
    try {
      budgets.charge(caller, request);
      const execution = await ledger.open(caller, request, channel);
      return await live(parts, execution, () => startOf(parts, caller, request, execution));
    } catch (error) {
      const refusal = toClawrdenError(error);
      breakers.refused(request.agent, refusal.code);
      return recorder.refused(caller, request, refusal);
    }
  }

  return async (caller, request, channel) => {
    try {
      agentOf(agents, caller, request);
    } catch (error) {
      return recorder.refused(caller, { ...request, agent: '' }, toClawrdenError(error));
    }
    return begin(caller, request, channel);
  };
}

export function createResume(ledger: Ledger): Resume {
  return async (caller, request, channel) => {
    try {
      return await ledger.resume(caller, request, channel).outcome;
    } catch (error) {
      return outcomeOf(toClawrdenError(error));
    }
  };
}

/** Takes up an execution that waits for a person since before a restart. */
export function takeUp(
  parts: ExecuteParts,
  execution: Execution,
  asked: Asked,
  sealed: SealedPlan,
): Promise<Outcome> {
  return live(parts, execution, () => awaitVerdict(asked, sealed, execution, parts.authorizing));
}

/** The life of one command up to its permit: sanitize → decide → audit → inspect → authorize. Throws the refusal. */
async function startOf(
  parts: ExecuteParts,
  caller: Caller,
  request: StartRequest,
  execution: Execution,
): Promise<Permit> {
  const { agents, halted, holdRates, breakers, recorder, obtainImage, authorizing } = parts;
  const policy = parts.policy();
  const judgement = breakers.hold(holdRates(judge(policy, agents, caller, request, halted)));
  if (judgement.cleared === undefined) breakers.refused(request.agent, judgement.decision.code);
  const labels = { ...request.hostLabels, ...agents.get(request.agent)?.hosts };
  const obtain = (reference: string) => obtainImage(reference, imageWish(labels, execution));
  const sealed = await sealJudged(judgement, policy, obtain).catch(toClawrdenError);
  execution.trace.mark('judged');
  // What is refused has a smaller budget for its records, which the recorder keeps.
  const { action } = judgement.decision;
  const canonical = sealed instanceof ClawrdenError ? '' : sealed.canonical;
  if (action !== 'deny')
    parts.budgets.chargeRecords(
      caller,
      request,
      recordedBytes(execution.record, canonical, action === 'ask'),
    );
  await recorder.decided(execution, judgement, sealed);
  execution.trace.mark('decided');
  const { decision } = judgement;
  const asks = decision.action === 'ask' && !(sealed instanceof ClawrdenError);
  const shown = asks ? await inspected(sealed, execution, parts) : sealed;
  return authorize(decision, shown, execution, authorizing);
}

function imageWish(labels: Readonly<Record<string, string>>, { signal, send }: Execution): ImageWish {
  const onProgress = (percent: number) => void send({ type: 'notice', text: `pulling image ${percent} %` });
  return { labels, signal, onProgress };
}

/** The rest of it: lease → run → audit. */
async function live(
  { ledger, recorder, executors, breakers }: ExecuteParts,
  execution: Execution,
  permitted: () => Promise<Permit>,
): Promise<Outcome> {
  let outcome: Outcome;
  try {
    const permit = await permitted();
    execution.signal.throwIfAborted();
    const { strategy, record } = permit.sealed.plan;
    if (record === 'head-tail') execution.output.record();
    if (strategy === 'ghost') void execution.send({ type: 'accepted', planHash: permit.sealed.hash });
    outcome = await executors[strategy](permit, execution);
  } catch (error) {
    outcome = outcomeOfFailure(toClawrdenError(error));
  }
  recorder.ended(execution, outcome);
  breakers.ended(execution.record, outcome);
  execution.end(outcome);
  ledger.close(execution);
  return outcome;
}

function outcomeOfFailure(error: ClawrdenError): Outcome {
  if (error instanceof Interrupted) return { kind: 'interrupted', signal: error.signal };
  return failure(error.code, error.message);
}
