import { z } from 'zod';
import { readTelegramToken } from '../../../chats/chat-tokens.ts';
import { callTelegram, type TelegramBot } from '../../../chats/telegram-api.ts';
import type { TelegramChatConfig, TelegramConfig } from '../../../config/notify-config.ts';
import { checkKey } from './check-certificate.ts';
import { bad, type Finding, good, messageOf } from './finding.ts';

const check = 'telegram';

/** Whether the bot is one, and is in every chat. It sends nothing. */
export async function checkTelegram(config: TelegramConfig): Promise<Finding[]> {
  const { token: source, api, chats } = config;
  const held = 'file' in source ? [await checkKey(`${check} token`, source.file)] : [];
  let token: string;
  try {
    token = await readTelegramToken(config);
  } catch (error) {
    return [...held, bad(check, messageOf(error), 'see docs/notify.md for where the token comes from')];
  }
  const bot = { api, token };
  const me = await call(bot, 'getMe', {}, z.object({ username: z.string().default('') }));
  if ('why' in me) return [...held, bad(check, me.why, 'see docs/notify.md for where the token comes from')];
  const found = await Promise.all(chats.map((chat) => checkChat(chat, bot)));
  return [...held, good(check, `${api} knows the bot ${me.value.username}`), ...found];
}

async function checkChat({ name, chat }: TelegramChatConfig, bot: TelegramBot): Promise<Finding> {
  const found = await call(bot, 'getChat', { chat_id: chat }, z.object({ type: z.string() }));
  const about = `${check} ${name}`;
  if ('value' in found) return good(about, `the bot is in the chat ${chat}`);
  return bad(about, found.why, 'add the bot to the group, or write to it first; see docs/notify.md');
}

function call<Value>(bot: TelegramBot, method: string, body: object, shape: z.ZodType<Value>) {
  return callTelegram(bot, [method, body], shape, { signal: new AbortController().signal });
}
