import { z } from 'zod';
import { callTelegram, type TelegramBot } from '../../../src/chats/telegram-api.ts';
import type { ChatRoom, PostAnswer } from '../chat/chat-room.ts';
import { telegramMessage } from './telegram-message.ts';

/** Of 4096, with a reserve. */
const textAtMost = 4_000;
/** The service allows a message a second in a person's chat, and twenty a minute in a group. */
const gaps = { person: 1_100, group: 3_100 } as const;

const posted = z.object({ message_id: z.int() });
const unchanged = /message is not modified/i;
const gone = /message to edit not found|message can't be edited|MESSAGE_ID_INVALID/i;

export function telegramRoom(bot: TelegramBot, chat: number): ChatRoom {
  return {
    textAtMost,
    gapMs: chat > 0 ? gaps.person : gaps.group,
    post: async (message, signal): Promise<PostAnswer> => {
      const body = { chat_id: chat, ...telegramMessage(message) };
      const answer = await callTelegram(bot, ['sendMessage', body], posted, { signal });
      return 'value' in answer ? { ref: String(answer.value.message_id) } : answer;
    },
    edit: async (ref, message, signal): Promise<PostAnswer> => {
      const body = { chat_id: chat, message_id: Number(ref), ...telegramMessage(message) };
      const answer = await callTelegram(bot, ['editMessageText', body], z.unknown(), { signal });
      const isDone = 'value' in answer || [unchanged, gone].some((form) => form.test(answer.code ?? ''));
      return isDone ? { ref } : answer;
    },
  };
}
