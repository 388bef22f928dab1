import { ClawrdenError } from '../../../src/errors.ts';
import type { GatewayClient } from '../../../src/gateway-client/connect-gateway.ts';

/** Resolves when the gateway can be called. Rejects with `gateway-unreachable`, or with the reason of `gone`. */
export async function reachGateway(
  link: Pick<GatewayClient, 'waitForReady'>,
  timeoutMs: number,
  gone: AbortSignal,
): Promise<void> {
  const left = new Promise<false>((resolve) => {
    gone.addEventListener('abort', () => resolve(false), { once: true });
  });
  const reached = !gone.aborted && (await Promise.race([link.waitForReady(timeoutMs), left]));
  if (gone.aborted) throw gone.reason;
  if (reached) return;
  const text = `the gateway did not answer within ${Math.ceil(timeoutMs / 1000)} s; ask the operator to look at it`;
  throw new ClawrdenError('gateway-unreachable', text);
}
