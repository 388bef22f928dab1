import type { ChatMessage, ChatPart } from '../chat/chat-room.ts';

/**
 * A message as the Web API takes it. Its words are texts of a rich text, in which Slack reads no signs of a format, no
 * `<!channel>` and no `:name:`, and of which it makes no links; only the text for notifications is markup.
 */
export function slackMessage({ parts, buttons }: ChatMessage): object {
  const actions = buttons.map(({ label, data }) => ({
    type: 'button',
    action_id: label.toLowerCase(),
    text: { type: 'plain_text', text: label, emoji: false },
    style: label === 'Approve' ? 'primary' : 'danger',
    value: data,
  }));
  return {
    text: escapeMarkup(parts.find(({ kind }) => kind === 'title')?.text ?? ''),
    // Slack's servers would fetch what an agent names.
    ...{ unfurl_links: false, unfurl_media: false, parse: 'none', link_names: false },
    blocks: [
      { type: 'rich_text', elements: parts.map(elementOf) },
      ...(actions.length > 0 ? [{ type: 'actions', elements: actions }] : []),
    ],
  };
}

/** Slack's own words for the three characters that its markup begins with. */
export function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function elementOf({ kind, text }: ChatPart): object {
  if (kind === 'code') return { type: 'rich_text_preformatted', elements: [{ type: 'text', text }] };
  if (kind === 'link') return section({ type: 'link', url: text, text });
  return section({ type: 'text', text: `${text}\n`, ...(kind === 'title' && { style: { bold: true } }) });
}

function section(element: object): object {
  return { type: 'rich_text_section', elements: [element] };
}
