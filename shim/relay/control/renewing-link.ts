import { X509Certificate } from 'node:crypto';
import { type ServiceError, status } from '@grpc/grpc-js';
import type { Logger } from 'pino';
import { abortable, deadline } from '../../../src/abort.ts';
import type { ClawrdenError } from '../../../src/errors.ts';
import { connectGateway, type GatewayClient } from '../../../src/gateway-client/connect-gateway.ts';
import { renew } from '../../../src/gateway-client/renew.ts';
import type { SynchronizeResponse } from '../../../src/gen/clawrden/v1/relay.ts';
import { readIdentity } from '../../../src/pki/identity-files.ts';
import { isRenewalDue } from '../../../src/pki/renewal-due.ts';
import { readTrust } from '../../../src/pki/trust-file.ts';
import { refusalOf } from '../../../src/wire/contract.ts';
import { pushbackOf } from '../../../src/wire/pushback.ts';

/** What a relay needs from the gateway. */
export interface Link extends Pick<GatewayClient, 'carry' | 'wayOut' | 'execute' | 'waitForReady' | 'close'> {
  /** `undefined` if the gateway does not answer in time; `waitForReady` waits for its first answer over such a stream. */
  readonly synchronize: (timeoutMs: number) => Promise<Synchronization | undefined>;
  /** Why nothing is served for the gateway that answered last, although it answers; its stream is to be left. */
  readonly refusal: () => ClawrdenError | undefined;
}

export interface Synchronization {
  readonly stream: ReturnType<GatewayClient['synchronize']>;
  /** Resolves when there is a connection by a new certificate: synchronize anew, and leave this stream to the gateway. */
  readonly renewed: Promise<void>;
}

export interface LinkOptions {
  /** `HOST:PORT`. */
  readonly address: string;
  readonly identityDir: string;
  /** As `ConnectOptions`. */
  readonly trust?: string | undefined;
  readonly log: Logger;
  /** Tests shorten it. */
  readonly retryMs?: number;
}

const checkMs = 60 * 60 * 1000;
/** Until a renewal that failed is tried again, twice as long each time: an authority may count for minutes only. */
const [firstRetryMs, longestRetryMs] = [15_000, 5 * 60_000];
const readyTimeoutMs = 10_000;
/** From its successor's first answer on. */
const leaveMs = 10_000;

interface Line {
  readonly client: GatewayClient;
  /** PEM, that it was opened with. */
  readonly certificate: Buffer;
  /** PEM of its `trust`. */
  readonly trusted: string;
}

/**
 * A connection that renews its certificate in the last third of its life, and when other authorities count, and moves to
 * the new one. The gateway answers
 * commands only over a connection that synchronizes, so that comes first. Open calls stay on the old connection to their
 * end.
 */
export async function openRenewingLink(options: LinkOptions): Promise<Link> {
  let current = await openLine(options);
  let newest = current;
  const leaving = new Set<Line>();
  let renewal = Promise.withResolvers<void>();
  const answered = createGate();
  /** What the gateway last said of authorities. */
  let told = '';

  async function renewIfDue(): Promise<void> {
    const next = await renewed(newest, told, options);
    if (next === undefined) return;
    newest = next;
    renewal.resolve();
    renewal = Promise.withResolvers();
  }

  function goOver(next: Line): void {
    if (next === current) return;
    const before = current;
    current = next;
    // What was begun over it may not have been sent yet: it would be refused.
    leaving.add(before);
    setTimeout(() => leave(before, leaving), leaveMs).unref();
  }

  const checking = checkNowAndThen(renewIfDue, options);
  return {
    ...{ carry: () => current.client.carry(), wayOut: () => current.client.wayOut() },
    execute: (traceparent) => current.client.execute(traceparent),
    synchronize: async (timeoutMs) => {
      const [line, { promise }] = [newest, renewal];
      if (!(await line.client.waitForReady(timeoutMs))) {
        answered.forget();
        // It may show what a newer file trusts.
        if (isTrustNews(line, options)) checking.check();
        return undefined;
      }
      const stream = line.client.synchronize();
      stream.on('data', ({ authority, leaving: isLeaving }: SynchronizeResponse) => {
        // The next one opens it again, over a stream of its own.
        if (isLeaving) answered.close(stream);
        const isNews = authority !== told;
        told = authority;
        if (isNews) checking.check();
      });
      stream.once('data', (state: SynchronizeResponse) => {
        if (answered.refuses(state.contract)) return;
        goOver(line);
        if (!state.leaving) answered.open(stream);
        checking.check();
      });
      stream.once('status', () => answered.close(stream));
      return { stream, renewed: promise };
    },
    waitForReady: answered.wait,
    refusal: answered.refusal,
    close: () => {
      checking[Symbol.dispose]();
      for (const line of leaving) leave(line, leaving);
      for (const { client } of new Set([current, newest])) client.close();
    },
  };
}

function leave(line: Line, leaving: Set<Line>): void {
  if (leaving.delete(line)) line.client.close();
}

/**
 * Looks every hour and whenever it is told to. If the gateway is away or refuses, it tries again later: not before the
 * gateway wants to be asked again, if it says so. The gateway renews only over a connection that synchronizes.
 */
function checkNowAndThen(
  renewIfDue: () => Promise<void>,
  { log, retryMs = firstRetryMs }: Pick<LinkOptions, 'log' | 'retryMs'>,
): Disposable & { readonly check: () => void } {
  let checking: Promise<void> | undefined;
  let again: NodeJS.Timeout | undefined;
  let retry: NodeJS.Timeout | undefined;
  let failures = 0;
  let [isAsked, isOver] = [false, false];
  const check = () => {
    if (again !== undefined || isOver) return;
    if (checking !== undefined) {
      isAsked = true;
      return;
    }
    clearTimeout(retry);
    checking = renewIfDue().then(worked, failed).finally(done);
  };
  /** What was told meanwhile counts, too. */
  const done = () => {
    checking = undefined;
    if (!isAsked) return;
    isAsked = false;
    check();
  };
  const failed = (error: Error) => {
    log.warn({ why: error.message }, notRenewed);
    const waitMs = pushbackOf(error);
    if (waitMs !== undefined) again = setTimeout(goOn, Math.min(waitMs, checkMs)).unref();
    // What asks meanwhile does not wait for it.
    else retry = setTimeout(check, retryAfter(error)).unref();
    failures += 1;
  };
  /** A token of a key that was rotated is forgotten when it is refused. */
  const retryAfter = (error: Partial<ServiceError>) =>
    failures === 0 && error.code === status.UNAUTHENTICATED
      ? 0
      : Math.min(retryMs * 2 ** failures, longestRetryMs);
  const worked = () => {
    failures = 0;
  };
  const goOn = () => {
    again = undefined;
    check();
  };
  const timer = setInterval(check, checkMs).unref();
  return {
    check,
    [Symbol.dispose]: () => {
      isOver = true;
      clearInterval(timer);
      clearTimeout(again);
      clearTimeout(retry);
    },
  };
}

/** Open while the newest stream is that the gateway has answered, unless that lacks what this relay needs. */
function createGate() {
  let by: unknown;
  let refusal: ClawrdenError | undefined;
  let opened = Promise.withResolvers<true>();
  return {
    refuses: (told: number): boolean => {
      refusal = refusalOf(told);
      return refusal !== undefined;
    },
    /** No gateway answers: what the last one lacked says nothing of the next. */
    forget: (): void => {
      refusal = undefined;
    },
    refusal: () => refusal,
    open: (stream: unknown): void => {
      by = stream;
      opened.resolve(true);
    },
    close: (stream: unknown): void => {
      if (by !== stream) return;
      by = undefined;
      opened = Promise.withResolvers();
    },
    wait: async (timeoutMs: number): Promise<boolean> => {
      using late = deadline(timeoutMs, () => new Error('late'));
      return await abortable(opened.promise, late.signal).catch(() => false);
    },
  };
}

const notRenewed = 'the certificate was not renewed';

async function openLine({ address, identityDir, trust }: LinkOptions): Promise<Line> {
  const { certificate } = await readIdentity(identityDir);
  const trusted = trust === undefined ? '' : readTrust(trust);
  return { client: await connectGateway({ address, identityDir, trust }), certificate, trusted };
}

/** Also if the file cannot be used: opening a line by it says why, and the line before stays. */
function isTrustNews({ trusted }: Line, { trust }: LinkOptions): boolean {
  try {
    return trust !== undefined && readTrust(trust) !== trusted;
  } catch {
    return true;
  }
}

/**
 * A connection with a new certificate, or by another file of trust, once the gateway accepts it; `undefined` if the
 * present one is young enough.
 */
async function renewed(line: Line, told: string, options: LinkOptions): Promise<Line | undefined> {
  const isNews = isTrustNews(line, options);
  const present = await readIdentity(options.identityDir);
  const isDue = !isNews && isRenewalDue(present, told);
  if (isDue) await renew(line.client, options.identityDir);
  // One that was renewed, and could not be gone over to, is there already.
  else if (!isNews && present.certificate.equals(line.certificate)) return undefined;
  const next = await openLine(options);
  if (!(await next.client.waitForReady(readyTimeoutMs))) {
    next.client.close();
    throw new Error('the gateway does not answer to the new one yet');
  }
  const until = new X509Certificate(next.certificate).validToDate;
  options.log.info({ until }, isNews ? 'what is trusted was read again' : 'the certificate was renewed');
  return next;
}
