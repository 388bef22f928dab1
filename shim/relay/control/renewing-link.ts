import { X509Certificate } from 'node:crypto';
import type { Logger } from 'pino';
import { connectGateway, type GatewayClient } from '../../../src/gateway-client/connect-gateway.ts';
import { renew } from '../../../src/gateway-client/renew.ts';
import { readIdentity } from '../../../src/pki/identity-files.ts';

/** What a relay needs from the gateway. */
export type Link = Pick<GatewayClient, 'execute' | 'synchronize' | 'waitForReady' | 'close'>;

export interface LinkOptions {
  /** `HOST:PORT`. */
  readonly address: string;
  readonly identityDir: string;
  readonly log: Logger;
}

const checkMs = 60 * 60 * 1000;
const readyTimeoutMs = 10_000;

/**
 * A connection that renews its certificate in the last third of its life and moves to the new one. Open calls stay on
 * the old connection to their end, except the synchronization, which begins again.
 */
export async function openRenewingLink(options: LinkOptions): Promise<Link> {
  let current = await connectGateway(options);
  let synchronizing: ReturnType<Link['synchronize']> | undefined;

  async function goOver(): Promise<void> {
    const next = await renewed(current, options);
    if (next === undefined) return;
    const old = current;
    current = next;
    old.close();
    synchronizing?.cancel();
  }

  // If the gateway is away or refuses, try again later.
  const check = () =>
    void goOver().catch((error: Error) => options.log.warn({ why: error.message }, notRenewed));
  const timer = setInterval(check, checkMs).unref();
  check();
  return {
    execute: () => current.execute(),
    synchronize: () => {
      synchronizing = current.synchronize();
      return synchronizing;
    },
    waitForReady: (timeoutMs) => current.waitForReady(timeoutMs),
    close: () => {
      clearInterval(timer);
      current.close();
    },
  };
}

const notRenewed = 'the certificate was not renewed';

/**
 * A connection with a new certificate, once the gateway accepts it; `undefined` if the present one is young enough.
 */
async function renewed(
  client: GatewayClient,
  { address, identityDir, log }: LinkOptions,
): Promise<GatewayClient | undefined> {
  if (!isDue((await readIdentity(identityDir)).certificate)) return undefined;
  await renew(client, identityDir);
  const next = await connectGateway({ address, identityDir });
  if (!(await next.waitForReady(readyTimeoutMs))) {
    next.close();
    throw new Error('the gateway does not answer to the new one yet');
  }
  log.info(
    { until: validUntil((await readIdentity(identityDir)).certificate) },
    'the certificate was renewed',
  );
  return next;
}

function isDue(pem: Buffer): boolean {
  const { validFromDate, validToDate } = new X509Certificate(pem);
  const life = validToDate.getTime() - validFromDate.getTime();
  return validToDate.getTime() - Date.now() < life / 3;
}

function validUntil(pem: Buffer): Date {
  return new X509Certificate(pem).validToDate;
}
