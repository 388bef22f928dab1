import { status } from '@grpc/grpc-js';
import type { ExecutionServiceServer } from '../../../src/gen/clawrden/v1/execution.ts';
import type { Execute, Resume } from '../../execute.ts';
import { traceOf } from '../../execution/trace-of.ts';
import type { Principal } from '../../ports/principal.ts';
import type { RelayRegistry } from '../../ports/relay-state.ts';
import type { Callers } from '../calls/authenticate.ts';
import { CallRefused } from '../calls/errors.ts';
import { CallChannel } from './call-channel.ts';
import { createMessageBudgets } from './message-budgets.ts';
import { toStartRequest } from './start-request.ts';

export interface ExecutionParts {
  readonly execute: Execute;
  readonly resume: Resume;
  readonly relays: Pick<RelayRegistry, 'impossible'>;
}

export function executionService(
  { execute, resume, relays }: ExecutionParts,
  callers: Callers,
): ExecutionServiceServer {
  const paceOf = createMessageBudgets();
  return {
    execute: (call) => {
      const caller = callers.of(call);
      const peer = call.getPeer();
      const channel = new CallChannel(call, {
        onAgent: (agent) => callers.paceBy(call, paceOf(caller, agent)),
        onImpossible: (text) => relays.impossible(caller.name, `${peer}: ${text}`),
      });
      const [traceparent] = call.metadata.get('traceparent');
      serve({ execute, resume }, caller, channel, traceparent).catch((error: unknown) =>
        channel.refuse(error),
      );
    },
  };
}

async function serve(
  { execute, resume }: Pick<ExecutionParts, 'execute' | 'resume'>,
  caller: Principal,
  channel: CallChannel,
  traceparent: unknown,
): Promise<void> {
  const first = await channel.first;
  // Its caller is gone, or has ended its side without a request.
  if (first === undefined)
    return channel.refuse(new CallRefused(status.CANCELLED, 'start or resume comes first'));
  if (first.$case === 'resume') {
    channel.finish(await resume(caller, first.value, channel));
    return;
  }
  const start = { ...toStartRequest(first.value, caller), ...traceOf(traceparent) };
  channel.finish(await execute(caller, start, channel));
}
