import { setTimeout as sleep } from 'node:timers/promises';
import { onAbort } from '../../../abort.ts';
import type { GatewayClient } from '../../../gateway-client/connect-gateway.ts';
import { plainDetails } from '../../../gateway-client/plain-details.ts';
import type { Approval, WatchApprovalsResponse } from '../../../gen/clawrden/v1/warden.ts';
import { inRounds } from '../../../in-rounds.ts';
import { isPassing } from '../../reach/passing.ts';

export interface ApprovalsFollower {
  /** The waiting questions without plans. The next list is read when this has resolved. */
  readonly onApprovals: (approvals: readonly Approval[]) => Promise<void> | void;
  /** The gateway does not answer, and why; `onQueue` is called again when it does. */
  readonly onLost: (why: string) => Promise<void> | void;
}

const retryMs = 1_000;

/**
 * Follows the queue until `signal` aborts. Rejects with a gRPC `ServiceError` if the gateway was never reached or
 * refuses the caller. If the connection is lost later, it connects again.
 */
export async function followApprovals(
  client: GatewayClient,
  follower: ApprovalsFollower,
  signal: AbortSignal,
): Promise<void> {
  let reached = false;
  while (!signal.aborted) {
    try {
      await followOnce(client, signal, async (approvals) => {
        reached = true;
        await follower.onApprovals(approvals);
      });
      if (!signal.aborted) await follower.onLost('the gateway ended the stream');
    } catch (error) {
      if (signal.aborted) return;
      if (!reached || !isPassing(error)) throw error;
      await follower.onLost(plainDetails(error.details));
    }
    await sleep(retryMs, undefined, { signal }).catch(() => {});
  }
}

async function followOnce(
  client: GatewayClient,
  signal: AbortSignal,
  onApprovals: (approvals: readonly Approval[]) => Promise<void>,
): Promise<void> {
  const stream = client.watchApprovals();
  using _ = onAbort(signal, () => stream.cancel());
  try {
    const waiting = new Map<string, Approval>();
    for await (const { came, gone, more } of stream as AsyncIterable<WatchApprovalsResponse>) {
      for (const id of gone) waiting.delete(id);
      for (const approval of came) waiting.set(approval.id, approval);
      if (!more) await onApprovals(inRounds([...waiting.values()], ({ agent }) => agent));
    }
  } finally {
    stream.cancel();
  }
}
