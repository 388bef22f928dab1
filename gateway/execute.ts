import type { AgentConfig } from '../src/config/gateway-config.ts';
import { type ClawrdenError, toClawrdenError } from '../src/errors.ts';
import { terminalOf } from '../src/init-client/init-plan.ts';
import { type Outcome, outcomeOf } from '../src/outcome.ts';
import type { Plan } from '../src/plan.ts';
import type { Policy } from '../src/policy/policy.ts';
import type { Asked } from './approvals/asked.ts';
import { type AuthorizeParts, authorize, awaitVerdict, type Permit } from './approvals/permit.ts';
import { unboundNow } from './control/bound-agents.ts';
import type { Breakers } from './control/breakers.ts';
import { recordedBytes } from './execution/bounded-records.ts';
import { type Execution, Interrupted } from './execution/execution.ts';
import type { Ledger } from './execution/ledger.ts';
import type { RecordingRoom } from './execution/recording-room.ts';
import type { Executors } from './executors/create-executors.ts';
import type { Run } from './executors/executor.ts';
import { type InspectParts, inspected } from './executors/inspect.ts';
import type { Budgets } from './judging/budgets.ts';
import { agentOf, judge, unboundCodes } from './judging/judge.ts';
import { type Judged, planned } from './judging/judged.ts';
import type { ApplyRates } from './judging/rate-limits.ts';
import type { Routes, SealedPlan } from './judging/seal-plan.ts';
import type { Channel, ResumeRequest, StartRequest } from './ports/channel.ts';
import type { ImageFacts } from './ports/engine.ts';
import type { LearnsOf } from './ports/learning.ts';
import type { Principal } from './ports/principal.ts';
import type { ImageWish } from './scheduler/hosts/image-pulls.ts';

export interface ExecuteParts extends InspectParts, Executors {
  /** The policy in force. An execution reads it once, and again only when a person has said yes. */
  readonly policy: () => Policy;
  readonly applyRates: ApplyRates;
  readonly budgets: Budgets;
  readonly breakers: Pick<Breakers, 'apply' | 'refused' | 'ended'>;
  /** Those of gateway.yaml now: what is decided takes them once, and what was decided is held to them before it runs. */
  readonly agents: () => ReadonlyMap<string, AgentConfig>;
  /** The kill switch's refusal for new work of an agent. */
  readonly halted: (agent: string) => ClawrdenError | undefined;
  readonly ledger: Ledger;
  readonly authorizing: AuthorizeParts;
  readonly recordingRoom: RecordingRoom;
  readonly routes: () => Routes;
  readonly learnsOf: LearnsOf;
  /** Its trace is complete. */
  readonly traced: (execution: Execution, outcome: Outcome) => void;
  readonly obtainImage: (reference: string, wish: ImageWish) => Promise<ImageFacts>;
}

/** Runs one command for a caller; never throws. Everything that runs a command calls this. */
export type Execute = (caller: Principal, request: StartRequest, channel: Channel) => Promise<Outcome>;

/** A caller whose connection was cut while a person is asked comes back to its question; never throws. */
export type Resume = (caller: Principal, request: ResumeRequest, channel: Channel) => Promise<Outcome>;

export function createExecute(parts: ExecuteParts): Execute {
  return async (caller, request, channel) => {
    try {
      const received = await receive(parts, caller, request, channel);
      return await conclude(parts, received.execution, () => carryOut(parts, received));
    } catch (error) {
      return turnAway(parts, caller, request, toClawrdenError(error));
    }
  };
}

/** From the request to the outcome. Throws the refusal, or the failure. */
async function carryOut(parts: ExecuteParts, received: Received): Promise<Outcome> {
  const { execution } = received;
  const judged = await judgeAndPlan(parts, received);
  chargeRecords(parts, received, judged);
  await parts.recorder.decided(execution, judged);
  const shown = await inspected(judged, execution, parts);
  const permit = await authorize(shown, execution, parts.authorizing);
  const run = await lease(parts, permit, execution);
  hold(permit, execution);
  return run();
}

/** A request that has become an execution. */
interface Received {
  readonly caller: Principal;
  readonly request: StartRequest;
  readonly execution: Execution;
}

/** The caller may speak for the agent, the agent pays for the request, and its id is claimed. Throws the refusal. */
async function receive(
  { agents, budgets, ledger }: ExecuteParts,
  caller: Principal,
  request: StartRequest,
  channel: Channel,
): Promise<Received> {
  agentOf(agents(), caller, request);
  budgets.charge(caller, request);
  return { caller, request, execution: await ledger.open(caller, request, channel) };
}

/** Refuses a request that became no execution. No count and no record names an agent that its caller may not speak for. */
function turnAway(
  { breakers, recorder }: ExecuteParts,
  caller: Principal,
  request: StartRequest,
  refusal: ClawrdenError,
): Promise<Outcome> {
  if (unboundCodes.has(refusal.code)) return recorder.refused(caller, { ...request, agent: '' }, refusal);
  breakers.refused(request.agent, refusal.code);
  return recorder.refused(caller, request, refusal);
}

async function judgeAndPlan(
  {
    policy: inForce,
    agents: bound,
    halted,
    applyRates,
    breakers,
    obtainImage,
    routes,
    learnsOf,
  }: ExecuteParts,
  { caller, request, execution }: Received,
): Promise<Judged> {
  const [policy, agents] = [inForce(), bound()];
  const judgement = breakers.apply(applyRates(judge(policy, agents, caller, request, halted)));
  if (judgement.cleared === undefined) breakers.refused(request.agent, judgement.decision.code);
  const labels = { ...request.hostLabels, ...agents.get(request.agent)?.hosts };
  const wish = imageWish(labels, execution);
  const judged = await planned(judgement, policy, {
    resolveImage: (reference) => obtainImage(reference, wish),
    routes,
    learnsOf,
  });
  execution.trace.mark('judged');
  return judged;
}

function imageWish(labels: Readonly<Record<string, string>>, { signal, send }: Execution): ImageWish {
  const onProgress = (percent: number) => void send({ type: 'notice', text: `pulling image ${percent} %` });
  return { labels, signal, onProgress };
}

/** A refusal has a smaller budget for its records, which the recorder keeps. */
function chargeRecords(
  { budgets }: ExecuteParts,
  { caller, request, execution }: Received,
  { decision: { action }, sealed }: Judged,
): void {
  if (action === 'deny') return;
  const bytes = recordedBytes(execution.record, sealed?.canonical ?? '', action === 'ask');
  budgets.chargeRecords(caller, request, bytes);
}

/** The others run where their caller is, which hears of the yes with its order. */
const waitsForPlace: ReadonlySet<Plan['strategy']> = new Set(['ghost', 'fetch']);

/** The place that the plan runs in. The caller hears of the yes before it waits for one. */
function lease(
  { executors, agents, halted, recordingRoom }: ExecuteParts,
  permit: Permit,
  execution: Execution,
): Run | Promise<Run> {
  const { plan, hash } = permit.sealed;
  execution.trace.mark('permitted');
  execution.signal.throwIfAborted();
  const over = unboundNow(agents(), execution.record) ?? stopOf(halted(execution.record.agent));
  if (over !== undefined) throw over;
  record(plan, execution, recordingRoom);
  if (waitsForPlace.has(plan.strategy)) void execution.send({ type: 'accepted', planHash: hash });
  return executors[plan.strategy](permit, execution);
}

/** A place may have been waited for. The run gives it back, and runs nothing if it is stopped by then. */
function hold({ lapsed }: Permit, execution: Execution): void {
  const refusal = lapsed();
  if (refusal !== undefined) execution.stop(refusal);
}

/** A question that was restored has not heard of it. A breaker that refuses new work lets go on what was judged. */
function stopOf(halt: ClawrdenError | undefined): ClawrdenError | undefined {
  return halt?.code === 'breaker-open' ? undefined : halt;
}

function record(
  { record: wanted }: Pick<Plan, 'record'>,
  { output, context, record: { agent } }: Execution,
  room: RecordingRoom,
): void {
  if (wanted === undefined) return;
  output.record();
  if (wanted === 'full') output.recordTimed(room.of(agent), terminalOf(context.wiring));
}

/** Waits for the end of a life, whatever it is, and records it. */
async function conclude(
  { recorder, breakers, ledger, traced }: ExecuteParts,
  execution: Execution,
  life: () => Promise<Outcome>,
): Promise<Outcome> {
  const outcome = await life().catch((error: unknown) => outcomeOfFailure(toClawrdenError(error)));
  recorder.ended(execution, outcome);
  breakers.ended(execution.record, outcome);
  execution.end(outcome);
  ledger.close(execution);
  traced(execution, outcome);
  return outcome;
}

function outcomeOfFailure(error: ClawrdenError): Outcome {
  if (error instanceof Interrupted) return { kind: 'interrupted', signal: error.signal };
  return outcomeOf(error);
}

/** The rest of a life, for a restored execution. */
export function continueAsked(
  parts: ExecuteParts,
  execution: Execution,
  asked: Asked,
  sealed: SealedPlan,
): Promise<Outcome> {
  return conclude(parts, execution, async () => {
    const permit = await awaitVerdict(asked, sealed, execution, parts.authorizing);
    const run = await lease(parts, permit, execution);
    hold(permit, execution);
    return run();
  });
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
