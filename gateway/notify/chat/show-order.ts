import { quoteText, renderText } from '../../../src/text/render-text.ts';
import type { ChatMessage, ChatPart } from './chat-room.ts';
import type { HaltOrder } from './read-order.ts';

export interface OrderText {
  readonly title: string;
  /** What a person wrote; may be empty. */
  readonly words: string;
}

/** What who wrote an order is to confirm. */
export interface Ask {
  readonly order: HaltOrder;
  readonly running: number;
  readonly pending: number;
  readonly by: string;
}

export function askText({ order, running, pending, by }: Ask, code: string): ChatMessage {
  const { agent, state, reason } = order;
  const lines = [
    `${by} wants this. Running commands that end: ${running}. Questions that are void: ${pending}.`,
    `Its container is ${state}, and it may not work until: clawrden resume ${agent}`,
  ];
  return {
    parts: [
      { kind: 'title', text: `${state === 'paused' ? 'Pause' : 'Kill'} ${renderText(agent)}?` },
      ...lines.map((line) => ({ kind: 'text' as const, text: renderText(line) })),
      ...wordsParts(reason),
    ],
    buttons: [{ label: 'Confirm', data: code }],
  };
}

export function noteText({ title, words }: OrderText): ChatMessage {
  return { parts: [{ kind: 'title', text: renderText(title) }, ...wordsParts(words)], buttons: [] };
}

function wordsParts(words: string): ChatPart[] {
  return words === '' ? [] : [{ kind: 'code', text: quoteText(words) }];
}
