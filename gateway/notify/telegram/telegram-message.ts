import type { ChatMessage, ChatPart } from '../chat/chat-room.ts';

interface Entity {
  readonly type: 'bold' | 'pre';
  readonly offset: number;
  readonly length: number;
}

/**
 * A message as the Bot API takes it: a plain text, and what of it is set apart, by its place. So no character of it is
 * a sign of a format, and in what is `pre` Telegram looks for no links and no names.
 */
export function telegramMessage({ parts, buttons }: ChatMessage): object {
  const entities: Entity[] = [];
  let text = '';
  for (const part of parts) {
    if (text !== '') text += '\n';
    const type = typeOf(part);
    if (type !== undefined) entities.push({ type, offset: text.length, length: part.text.length });
    text += part.text;
  }
  const row = buttons.map(({ label, data }) => ({ text: label, callback_data: data }));
  return {
    text,
    entities,
    // Its servers would fetch what an agent names.
    link_preview_options: { is_disabled: true },
    ...(row.length > 0 && { reply_markup: { inline_keyboard: [row] } }),
  };
}

function typeOf({ kind }: ChatPart): Entity['type'] | undefined {
  if (kind === 'code') return 'pre';
  return kind === 'title' ? 'bold' : undefined;
}
