import { z } from 'zod';
import { callTelegram, type TelegramBot } from '../../../src/chats/telegram-api.ts';
import type { TelegramConfig } from '../../../src/config/notify-config.ts';
import { type TokenBucket, tokenBucket } from '../../../src/token-bucket.ts';
import type { ChatService, ConfiguredRoom, ServiceParts } from '../chat/chat-service.ts';
import { createReplies, type Replies } from '../chat/replies.ts';
import { createTroubles, type Troubles } from '../troubles.ts';
import { backoff, startWork } from '../work-loop.ts';
import { telegramRoom } from './telegram-room.ts';

/** A poll waits at the service so long for something to happen. */
const pollSeconds = 50;
const graceMs = 15_000;
const updatesAtOnce = 20;

/** One bot in all chats of gateway.yaml. It asks the service what was pressed: nothing has to reach the gateway. */
export function openTelegram(config: TelegramConfig, token: string, parts: ServiceParts): ChatService {
  const bot = { api: config.api, token };
  const troubles = createTroubles('telegram', parts.log);
  const replies = createReplies((error) => parts.faults.report('telegram', error));
  const rooms = config.chats.map((each) => ({ config: each, room: telegramRoom(bot, each.chat) }));
  const polling: Polling = { ...parts, bot, rooms, replies, troubles, state: newState() };
  const work = startWork('telegram', (signal) => poll(polling, signal), parts.faults);
  return {
    rooms,
    problems: troubles.problems,
    close: work.close,
  };
}

interface Polling extends ServiceParts {
  readonly bot: TelegramBot;
  readonly rooms: readonly ConfiguredRoom<TelegramConfig['chats'][number]>[];
  readonly replies: Replies;
  readonly troubles: Troubles;
  readonly state: { offset: number; tries: number; readonly pace: TokenBucket };
}

const updatesShape = z.array(z.looseObject({ update_id: z.int() })).max(updatesAtOnce);
const pressShape = z.object({
  id: z.string().max(100),
  from: z.object({ id: z.int().positive() }),
  message: z.object({ chat: z.object({ id: z.int() }) }),
  data: z.string().max(64),
});
/** Telegram's limit for a text is 4096 characters. */
const messageShape = z.object({
  date: z.int(),
  from: z.object({ id: z.int().positive() }),
  chat: z.object({ id: z.int() }),
  text: z.string().max(4096),
});
/** Of polls that are answered at once; ten are asked without a wait. */
const everyMs = 1000;
const pollsAtOnce = 10;
/** What was written while no gateway polled is no order any more. */
const freshMs = 60_000;

const newState = () => ({ offset: 0, tries: 0, pace: tokenBucket(1000 / everyMs, undefined, pollsAtOnce) });

/** One long poll; resolves with how long to wait for the next one. */
async function poll({ bot, state, troubles, ...rest }: Polling, signal: AbortSignal): Promise<number> {
  const { offset, tries } = state;
  const body = {
    offset,
    timeout: pollSeconds,
    // What is too much together comes apart.
    limit: tries === 0 ? updatesAtOnce : 1,
    allowed_updates: ['callback_query', 'message'],
  };
  const withinMs = pollSeconds * 1000 + graceMs;
  const answer = await callTelegram(bot, ['getUpdates', body], updatesShape, { signal, withinMs });
  if (signal.aborted) return 0;
  if ('why' in answer) {
    troubles.failed(answer.why);
    state.tries += 1;
    return Math.max(backoff(state.tries - 1), answer.waitMs ?? 0);
  }
  troubles.worked();
  state.tries = 0;
  for (const { update_id: id, callback_query: query, message } of answer.value) {
    // A cut connection brings them again.
    if (id < state.offset) continue;
    state.offset = id + 1;
    const polling = { bot, state, troubles, ...rest };
    if (message === undefined) take(query, polling, signal);
    else hear(message, polling);
  }
  return state.pace.take(1) ? 0 : everyMs;
}

/** None waits for another: a kill takes seconds if what it ends cannot be reached. */
function take(query: unknown, { bot, rooms, answer, replies }: Polling, signal: AbortSignal): void {
  const press = pressShape.safeParse(query).data;
  const named = rooms.filter(({ config }) => config.chat === press?.message.chat.id);
  const names = named.map(({ config }) => config.name);
  // A message that the bot was forwarded to, or a group that it was added to.
  if (press === undefined || names.length === 0) return;
  const user = String(press.from.id);
  replies.send(user, async () => {
    const text = await answer({ via: 'telegram', chats: names, user, data: press.data });
    const body = { callback_query_id: press.id, text, show_alert: true };
    await callTelegram(bot, ['answerCallbackQuery', body], z.unknown(), { signal });
  });
}

/** A press does not wait for the answer to an order. */
function hear(message: unknown, { rooms, orders, replies }: Polling): void {
  const said = messageShape.safeParse(message).data;
  const room = rooms.find(({ config }) => config.chat === said?.chat.id)?.room;
  if (said === undefined || room === undefined || Date.now() - said.date * 1000 > freshMs) return;
  const user = String(said.from.id);
  replies.send(user, () => orders.take({ via: 'telegram', user, text: said.text }, room));
}
