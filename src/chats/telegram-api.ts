import { z } from 'zod';
import { callService, type ServiceAnswer, tellable } from './call-service.ts';

export interface TelegramBot {
  /** The origin of the Bot API. */
  readonly api: string;
  readonly token: string;
}

/** Of a call that answers at once. */
export const answerWithinMs = 10_000;

const answerShape = z.union([
  z.object({ ok: z.literal(true), result: z.unknown() }),
  z.object({
    ok: z.literal(false),
    error_code: z.number(),
    description: z.string().default(''),
    parameters: z
      .object({ retry_after: z.number().nonnegative().optional(), migrate_to_chat_id: z.number().optional() })
      .optional(),
  }),
]);

/** One method of the Bot API. */
export async function callTelegram<Value>(
  { api, token }: TelegramBot,
  [method, body]: readonly [method: string, body: object],
  shape: z.ZodType<Value>,
  { signal, withinMs = answerWithinMs }: { readonly signal: AbortSignal; readonly withinMs?: number },
): Promise<ServiceAnswer<Value>> {
  const url = `${api}/bot${token}/${method}`;
  const raw = await callService({ url, headers: {}, body, withinMs, secret: token }, signal);
  if ('why' in raw) return raw;
  const { status, retryAfterMs, json } = raw.value;
  const answer = answerShape.safeParse(json).data;
  if (answer === undefined) return { why: `it answered ${status}, and not as Telegram does` };
  if (!answer.ok) {
    const { error_code: code, description, parameters } = answer;
    const wait = parameters?.retry_after === undefined ? retryAfterMs : parameters.retry_after * 1000;
    const moved = parameters?.migrate_to_chat_id;
    const now = moved === undefined ? '' : `; the group has the number ${moved} now: put it in gateway.yaml`;
    const why = `${method}: ${code} ${tellable(description, token)}${now}`;
    return { why, code: tellable(description, token), ...(wait !== undefined && { waitMs: wait }) };
  }
  const value = shape.safeParse(answer.result);
  return value.success ? { value: value.data } : { why: `${method}: its result is not as documented` };
}
