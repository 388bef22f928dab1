import { status } from '@grpc/grpc-js';
import { ClawrdenError } from '../../src/errors.ts';
import type { ExecutionServiceServer } from '../../src/gen/clawrden/v1/execution.ts';
import { outcomeOf } from '../../src/outcome.ts';
import type { Caller } from '../caller.ts';
import type { Execute } from '../execute.ts';
import type { Callers } from './authenticate.ts';
import { CallChannel } from './call-channel.ts';
import { CallRefused } from './errors.ts';
import { toStartRequest } from './start-request.ts';

export function executionService(execute: Execute, callers: Callers): ExecutionServiceServer {
  return {
    execute: (call) => {
      const channel = new CallChannel(call);
      serve(execute, callers.of(call), channel).catch((error: unknown) => channel.refuse(error));
    },
  };
}

async function serve(execute: Execute, caller: Caller, channel: CallChannel): Promise<void> {
  if (caller.role === 'viewer') throw new CallRefused(status.PERMISSION_DENIED, 'a viewer runs nothing');
  const first = await channel.first;
  if (first === undefined) return;
  if (first.$case === 'resume') {
    channel.finish(outcomeOf(new ClawrdenError('resume-void', 'the gateway does not know this execution')));
    return;
  }
  channel.finish(await execute(caller, toStartRequest(first.value, caller), channel));
}
