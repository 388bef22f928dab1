import { deadline } from '../abort.ts';
import { packageVersion } from '../package-version.ts';
import { askServer } from '../tls/ask-server.ts';
import { signHook } from './sign-hook.ts';

export interface HookReceiver {
  readonly url: string;
  readonly secret: string;
  readonly private: boolean;
}

export interface HookDelivery {
  /** The same for every try. */
  readonly id: string;
  readonly event: string;
  /** JSON. */
  readonly body: string;
}

/** What the receiver made of it. `waitMs`: it said when to come back. */
export type HookAnswer = { readonly taken: true } | { readonly why: string; readonly waitMs?: number };

const answerWithinMs = 10_000;

/** One try. A redirect is not followed: what is sent goes to the receiver that gateway.yaml names. */
export async function postHook(
  receiver: HookReceiver,
  delivery: HookDelivery,
  signal: AbortSignal,
): Promise<HookAnswer> {
  using until = deadline(answerWithinMs, () => new Error('it did not answer within 10 s'), signal);
  try {
    return await answerOf(receiver, delivery, until.signal);
  } catch (error) {
    const reason = until.signal.aborted ? until.signal.reason : error;
    return { why: textOf(reason) };
  }
}

async function answerOf(
  { url, secret, private: mayBePrivate }: HookReceiver,
  { id, event, body }: HookDelivery,
  signal: AbortSignal,
): Promise<HookAnswer> {
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    'User-Agent': `clawrden/${packageVersion()}`,
    'Clawrden-Event': event,
    'Clawrden-Delivery': id,
    'Clawrden-Signature': signHook(secret, body, Date.now()),
  };
  // Who looks names up judges where they lead to, which no proxy does.
  const reach = { private: mayBePrivate, byProxy: false };
  const answer = await askServer(url, { method: 'POST', headers, body, reach }, signal);
  // Nothing of the answer's body counts.
  answer.destroy();
  return judge(answer.statusCode ?? 0, answer.headers['retry-after']);
}

function judge(status: number, retryAfter: string | undefined): HookAnswer {
  if (status >= 200 && status < 300) return { taken: true };
  if (status >= 300 && status < 400) return { why: `it redirects (${status}), which is not followed` };
  const seconds = Number(retryAfter);
  const wait = retryAfter !== undefined && Number.isFinite(seconds) && seconds >= 0;
  return { why: `it answered ${status}`, ...(wait && { waitMs: seconds * 1000 }) };
}

function textOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(textOf).join('; ');
  return error instanceof Error
    ? error.message || String((error as NodeJS.ErrnoException).code)
    : String(error);
}
