import type { AgentConfig } from '../src/config/gateway-config.ts';
import { type ClawrdenError, toClawrdenError } from '../src/errors.ts';
import { failure, type Outcome } from '../src/outcome.ts';
import type { Strategy } from '../src/plan.ts';
import type { Policy } from '../src/policy/policy.ts';
import type { Approvals } from './approvals/approvals.ts';
import type { Caller } from './caller.ts';
import type { Channel, StartRequest } from './channel.ts';
import type { ImageFacts } from './engine.ts';
import { type Execution, Interrupted } from './execution.ts';
import type { Executor } from './executors/executor.ts';
import { judge } from './judge.ts';
import type { Ledger } from './ledger.ts';
import { authorize } from './permit.ts';
import { sealJudged } from './plan.ts';
import type { Recorder } from './recorder.ts';

export interface ExecuteParts {
  readonly policy: Policy;
  readonly agents: ReadonlyMap<string, AgentConfig>;
  readonly ledger: Ledger;
  readonly recorder: Recorder;
  readonly approvals: Approvals;
  readonly resolveImage: (reference: string) => Promise<ImageFacts>;
  readonly executors: Readonly<Record<Strategy, Executor>>;
}

/** Runs one command for a caller; never throws. Everything that runs a command calls this, and nothing else does. */
export type Execute = (caller: Caller, request: StartRequest, channel: Channel) => Promise<Outcome>;

export function createExecute(parts: ExecuteParts): Execute {
  return async (caller, request, channel) => {
    try {
      const execution = await parts.ledger.open(caller, request, channel);
      return await live(parts, caller, request, execution);
    } catch (error) {
      return parts.recorder.refused(caller, request, toClawrdenError(error));
    }
  };
}

/** The life of one command, top to bottom. */
async function live(
  parts: ExecuteParts,
  caller: Caller,
  request: StartRequest,
  execution: Execution,
): Promise<Outcome> {
  const { policy, agents, recorder, approvals, executors } = parts;
  try {
    const judgement = judge(policy, agents, caller, request);
    const sealed = await sealJudged(judgement, policy, parts.resolveImage).catch(toClawrdenError);
    await recorder.decided(execution, judgement, sealed);
    const permit = await authorize(judgement.decision, sealed, execution, {
      approvals,
      approvalExpiresMs: policy.approvalExpiresMs,
      recordVerdict: (approval, verdict) => recorder.verdict(execution, approval, verdict),
    });
    execution.signal.throwIfAborted();
    const { strategy } = permit.sealed.plan;
    if (strategy === 'ghost') void execution.send({ type: 'accepted', planHash: permit.sealed.hash });
    return await recorder.ended(execution, await executors[strategy](permit, execution));
  } catch (error) {
    return await recorder.ended(execution, outcomeOfFailure(toClawrdenError(error)));
  } finally {
    parts.ledger.close(execution);
  }
}

function outcomeOfFailure(error: ClawrdenError): Outcome {
  if (error instanceof Interrupted) return { kind: 'interrupted', signal: error.signal };
  return failure(error.code, error.message);
}
