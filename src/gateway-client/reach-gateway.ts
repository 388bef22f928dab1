import { abortable } from '../abort.ts';
import { ClawrdenError } from '../errors.ts';
import type { GatewayClient } from './connect-gateway.ts';

/** A connection to the gateway that may answer and still not do for this caller. */
export interface Reachable extends Pick<GatewayClient, 'waitForReady'> {
  /** Why not; absent if every gateway does. */
  readonly refusal?: () => ClawrdenError | undefined;
}

/** Resolves when the gateway can be called. Rejects with `gateway-unreachable`, why it will not do, or the reason of `gone`. */
export async function reachGateway(link: Reachable, timeoutMs: number, gone: AbortSignal): Promise<void> {
  gone.throwIfAborted();
  const known = link.refusal?.();
  if (known !== undefined) throw known;
  if (await abortable(link.waitForReady(timeoutMs), gone)) return;
  const text = `the gateway did not answer within ${Math.ceil(timeoutMs / 1000)} s; ask the operator to look at it`;
  throw link.refusal?.() ?? new ClawrdenError('gateway-unreachable', text);
}
