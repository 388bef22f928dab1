import { z } from 'zod';
import { callSlack, type SlackAccess } from '../../../src/chats/slack-api.ts';
import type { ChatRoom, PostAnswer } from '../chat/chat-room.ts';
import { slackMessage } from './slack-message.ts';

/** A message has 12 000 characters at most, as JSON with all its blocks: a backslash is two. */
const textAtMost = 5_000;
/** The service allows a message a second in a channel. */
const gapMs = 1_100;

const posted = z.object({ ts: z.string().max(64) });
const gone = new Set(['message_not_found', 'cant_update_message', 'edit_window_closed']);

export function slackRoom(bot: SlackAccess, channel: string): ChatRoom {
  return {
    ...{ textAtMost, gapMs },
    post: async (message, signal): Promise<PostAnswer> => {
      const body = { channel, ...slackMessage(message) };
      const answer = await callSlack(bot, ['chat.postMessage', body], posted, signal);
      return 'value' in answer ? { ref: answer.value.ts } : answer;
    },
    edit: async (ts, message, signal): Promise<PostAnswer> => {
      const body = { channel, ts, ...slackMessage(message) };
      const answer = await callSlack(bot, ['chat.update', body], z.unknown(), signal);
      return 'value' in answer || gone.has(answer.code ?? '') ? { ref: ts } : answer;
    },
  };
}
