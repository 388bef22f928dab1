import { abortable } from '../abort.ts';
import { ClawrdenError } from '../errors.ts';
import type { GatewayClient } from './connect-gateway.ts';

/** Resolves when the gateway can be called. Rejects with `gateway-unreachable`, or with the reason of `gone`. */
export async function reachGateway(
  link: Pick<GatewayClient, 'waitForReady'>,
  timeoutMs: number,
  gone: AbortSignal,
): Promise<void> {
  gone.throwIfAborted();
  if (await abortable(link.waitForReady(timeoutMs), gone)) return;
  const text = `the gateway did not answer within ${Math.ceil(timeoutMs / 1000)} s; ask the operator to look at it`;
  throw new ClawrdenError('gateway-unreachable', text);
}
