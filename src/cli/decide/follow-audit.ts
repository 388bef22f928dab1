import { setTimeout as sleep } from 'node:timers/promises';
import { type ServiceError, status } from '@grpc/grpc-js';
import type { GatewayClient } from '../../gateway-client/connect-gateway.ts';
import { plainDetails } from '../../gateway-client/plain-details.ts';
import { renewIdentity } from '../../gateway-client/renew-identity.ts';
import { type AuditLine, WardenServiceService } from '../../gen/clawrden/v1/warden.ts';
import { writtenOut } from '../print/streams.ts';
import { tell } from '../print/tell.ts';
import { CliError } from '../reach/cli-error.ts';
import type { Context } from '../reach/context.ts';
import { isPassing } from '../reach/passing.ts';
import { connect } from '../reach/with-gateway.ts';
import { createAuditReader } from './read-audit-lines.ts';

export interface TailWish {
  /** The number of the first record; undefined for the newest `lines`. */
  readonly from: number | undefined;
  readonly lines: number;
  readonly follow: boolean;
}

/** A gateway gives no more lines at once. */
const pageLines = 1000;
const pollMs = 500;
const retryMs = 1_000;
const renewMs = 3_600_000;

/**
 * Prints records that the gateway gives, each once, in their order. With `follow` it goes on until interrupted, over
 * another connection once the gateway is back. Throws a CliError if what it is given is not how the log went on, and a
 * gRPC `ServiceError` if the gateway was never reached, refuses the caller, or is lost without `follow`.
 */
export async function printGatewaysAudit(context: Context, wish: TailWish): Promise<void> {
  let client = await connect(context);
  try {
    const reader = createAuditReader(wish.from ?? (await firstOfNewest(client, wish.lines)));
    if (wish.from !== undefined) reader.mustReach(await newest(client));
    for (let renewed = performance.now(); ; ) {
      try {
        await printToEnd(client, reader);
        if (!wish.follow) return;
        if (performance.now() - renewed > renewMs) {
          renewed = performance.now();
          await renewNow(client, context);
        }
        await sleep(pollMs);
      } catch (error) {
        if (!wish.follow || !isLost(error)) throw error;
        client.close();
        client = await back(context, reader.mustReach, whyOf(error));
      }
    }
  } finally {
    client.close();
  }
}

type Reader = ReturnType<typeof createAuditReader>;

async function printToEnd(client: GatewayClient, reader: Reader): Promise<void> {
  for (;;) {
    const lines = await linesFrom(client, reader.next(), pageLines);
    const text = reader.read(lines);
    if (text === '') return;
    await writtenOut(text);
  }
}

async function linesFrom(client: GatewayClient, from: number, limit: number): Promise<readonly AuditLine[]> {
  const request = { from: BigInt(from), limit, pageToken: '' };
  return (await client.call(WardenServiceService.listAudit, request)).lines;
}

/** The number of the newest record. */
async function newest(client: GatewayClient): Promise<number> {
  return Number((await linesFrom(client, 0, 1)).at(-1)?.seq ?? 0);
}

async function firstOfNewest(client: GatewayClient, lines: number): Promise<number> {
  return Math.max(1, (await newest(client)) - lines + 1);
}

/** A certificate that cannot be renewed now still counts. */
async function renewNow(client: GatewayClient, { identity }: Context): Promise<void> {
  const problem = await renewIdentity(client, identity);
  if (problem !== '') tell(`clawrden: your certificate: ${problem}`);
}

/** Resolves when the gateway answers again, with a client that has the identity as it is now. */
async function back(context: Context, mustReach: Reader['mustReach'], why: string): Promise<GatewayClient> {
  for (let told = ''; ; ) {
    if (told !== why) tell(`clawrden: audit: ${context.gateway} does not answer (${why}); it is asked again`);
    told = why;
    await sleep(retryMs);
    let client: GatewayClient | undefined;
    try {
      client = await connect(context);
      mustReach(await newest(client));
      tell(`clawrden: audit: ${context.gateway} answers again`);
      return client;
    } catch (error) {
      client?.close();
      if (!isLost(error)) throw error;
      why = whyOf(error);
    }
  }
}

/** Too many calls, too: whoever else uses this identity has them. */
function isLost(error: unknown): error is ServiceError {
  if (isPassing(error)) return true;
  return !(error instanceof CliError) && (error as Partial<ServiceError>).code === status.RESOURCE_EXHAUSTED;
}

function whyOf({ details }: ServiceError): string {
  return plainDetails(details);
}
