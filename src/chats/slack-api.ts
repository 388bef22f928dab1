import { z } from 'zod';
import { callService, type ServiceAnswer, tellable } from './call-service.ts';

export interface SlackAccess {
  /** The Web API, without a slash at its end. */
  readonly api: string;
  readonly token: string;
}

const answerWithinMs = 10_000;

const refusalShape = z.object({ ok: z.literal(false), error: z.string(), needed: z.string().optional() });

/** One method of the Web API. */
export async function callSlack<Value>(
  { api, token }: SlackAccess,
  [method, body]: readonly [method: string, body: object],
  shape: z.ZodType<Value>,
  signal: AbortSignal,
): Promise<ServiceAnswer<Value>> {
  const headers = { Authorization: `Bearer ${token}` };
  const url = `${api}/${method}`;
  const raw = await callService({ url, headers, body, withinMs: answerWithinMs, secret: token }, signal);
  if ('why' in raw) return raw;
  const { status, retryAfterMs, json } = raw.value;
  const wait = retryAfterMs === undefined ? {} : { waitMs: retryAfterMs };
  if (status === 429) return { why: `${method}: too many calls`, code: 'ratelimited', ...wait };
  const refusal = refusalShape.safeParse(json).data;
  if (refusal !== undefined) {
    const code = tellable(refusal.error, token);
    const needed = refusal.needed === undefined ? '' : ` (it needs ${tellable(refusal.needed, token)})`;
    return { why: `${method}: ${code}${needed}`, code, ...wait };
  }
  const value = z.object({ ok: z.literal(true) }).safeParse(json).success ? shape.safeParse(json) : undefined;
  if (value?.success === true) return { value: value.data };
  return { why: `${method}: it answered ${status}, and not as Slack does`, ...wait };
}
