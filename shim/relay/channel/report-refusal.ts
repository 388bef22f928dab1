import { setTimeout as sleep } from 'node:timers/promises';
import type { Command, Identity } from '../../../src/command.ts';
import type { ClawrdenError } from '../../../src/errors.ts';
import { newExecutionId } from '../../../src/execution-id.ts';
import type { GatewayClient } from '../../../src/gateway-client/connect-gateway.ts';
import { openExecuteCall } from '../../../src/gateway-client/execute-call.ts';
import { Command as WireCommand } from '../../../src/gen/clawrden/v1/execution.ts';
import { toWireCommand } from './wire-messages.ts';

export interface RefusedRequest {
  readonly agent: string;
  readonly refusal: ClawrdenError;
  readonly identity: Identity;
  /** Absent if the request could not be read. */
  readonly command: Command | undefined;
}

const unread = WireCommand.fromPartial({});
const readyTimeoutMs = 1000;
const reportTimeoutMs = 5000;

/** Lets the gateway record a refusal that the relay made. Resolves, after 6 s at most, with whether it did. */
export async function reportRefusal(
  link: Pick<GatewayClient, 'execute' | 'waitForReady'>,
  { agent, refusal, identity, command }: RefusedRequest,
): Promise<boolean> {
  if (!(await link.waitForReady(readyTimeoutMs))) return false;
  const call = openExecuteCall(link.execute(), () => undefined);
  void call.send({
    $case: 'start',
    value: {
      executionId: newExecutionId(),
      agent,
      command: command === undefined ? unread : toWireCommand(command),
      identity: { uid: identity.uid, gid: identity.gid },
      refusal: { reason: refusal.code, text: refusal.message },
      hostLabels: [],
    },
  });
  const recorded = call.outcome.then(
    () => true,
    () => false,
  );
  const timer = new AbortController();
  const late = sleep(reportTimeoutMs, false, { signal: timer.signal }).catch(() => false);
  const result = await Promise.race([recorded, late]);
  timer.abort();
  if (!result) call.cancel();
  return result;
}
