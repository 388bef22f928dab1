import type { Logger } from 'pino';
import type { TargetConfig } from '../../../src/config/notify-config.ts';
import type { Faults } from '../../../src/faults.ts';
import type { AnswerPress } from './answer-press.ts';
import type { ChatRoom } from './chat-room.ts';
import type { HaltOrders } from './halt-orders.ts';

/** A chat of gateway.yaml, and what it shows. */
export interface ConfiguredRoom<Config extends TargetConfig = TargetConfig> {
  readonly config: Config;
  readonly room: ChatRoom;
}

/** A chat service, while it is open: its chats, and the ways in which it tells of buttons and of orders. */
export interface ChatService {
  readonly rooms: readonly ConfiguredRoom[];
  readonly problems: () => string[];
  readonly close: () => Promise<void>;
}

export interface ServiceParts {
  readonly answer: AnswerPress;
  readonly orders: Pick<HaltOrders, 'take'>;
  readonly faults: Faults;
  readonly log: Logger;
}
