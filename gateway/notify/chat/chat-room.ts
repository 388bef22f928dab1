import type { ServiceRefusal } from '../../../src/chats/call-service.ts';

/** What a chat shows: paragraphs of printable ASCII. */
export interface ChatMessage {
  readonly parts: readonly ChatPart[];
  readonly buttons: readonly ChatButton[];
}

/**
 * What anybody but us has written is `code`: the service shows it as it is, and makes no link, mention, picture or
 * format of it.
 */
export interface ChatPart {
  readonly kind: 'title' | 'text' | 'code' | 'link';
  readonly text: string;
}

export interface ChatButton {
  readonly label: 'Approve' | 'Deny' | 'Confirm';
  readonly data: string;
}

/** One chat of a service. Each call is one try, with a deadline of its own. */
export interface ChatRoom {
  /** Characters of a message. */
  readonly textAtMost: number;
  /** Between two calls, as the service wants it. */
  readonly gapMs: number;
  readonly post: (message: ChatMessage, signal: AbortSignal) => Promise<PostAnswer>;
  /** A message that is gone is no failure. */
  readonly edit: (ref: string, message: ChatMessage, signal: AbortSignal) => Promise<PostAnswer>;
}

/** What the service calls the message. */
export type PostAnswer = { readonly ref: string } | ServiceRefusal;
