import type { Logger } from 'pino';
import type { WebhookConfig } from '../../../src/config/notify-config.ts';
import type { Faults } from '../../../src/faults.ts';
import { type HookAnswer, type HookReceiver, postHook } from '../../../src/hooks/post-hook.ts';
import { agentOf, type News, type Notifier } from '../../ports/notifier.ts';
import type { HookDeliveryRow } from '../../store/notice-rows.ts';
import type { HookQueue } from '../../store/notices.ts';
import { createTroubles, type Troubles } from '../troubles.ts';
import { backoff, giveUpMs, longestMs, startWork } from '../work-loop.ts';
import { hookBody } from './hook-body.ts';

export interface WebhookParts {
  readonly config: WebhookConfig;
  readonly secret: string;
  readonly queue: HookQueue;
  readonly link: (approval: string) => string;
  readonly faults: Faults;
  readonly log: Logger;
}

interface Turn {
  /** Whose delivery was the last one. */
  last: string;
  /** In a row, whatever was delivered: a receiver that fails costs a connection each time. */
  failures: number;
  /** On the monotonic clock. */
  restsUntil: number;
}

const longestRestMs = 5000;

/** One receiver, told from a queue on the disk, one delivery after another. */
export function openWebhook(parts: WebhookParts): Notifier {
  const { config, queue, link, faults, log } = parts;
  const closing = new AbortController();
  const troubles = createTroubles(`webhook ${config.name}`, log);
  const turn: Turn = { last: '', failures: 0, restsUntil: 0 };
  const work = startWork('webhook', (signal) => step(parts, turn, troubles, signal), faults);
  return {
    ...{ name: config.name, shows: false },
    tell: async (news: News) => {
      const { id, event } = news;
      const delivery = { id, event, agent: agentOf(news), body: hookBody(news, link) };
      try {
        const dropped = await queue.add(config.name, delivery);
        if (dropped > 0) troubles.lose(dropped, 'too many wait');
      } catch (error) {
        // A question is kept before it is told. What stops work may be the very disk that is full: it is told at once.
        if ('question' in news) throw error;
        const answer = await postHook(receiverOf(parts), delivery, closing.signal);
        if (!('taken' in answer)) throw error;
      }
      work.wake();
    },
    problems: troubles.problems,
    close: async () => {
      closing.abort();
      await work.close();
    },
  };
}

function receiverOf({ config: { url, private: mayBePrivate }, secret }: WebhookParts): HookReceiver {
  return { url, private: mayBePrivate, secret };
}

/**
 * One try; resolves with how long to wait for the next one. Agents take turns: of what one has
 * waiting, others wait for one delivery. A receiver that failed rests.
 */
async function step(
  parts: WebhookParts,
  turn: Turn,
  troubles: Troubles,
  signal: AbortSignal,
): Promise<number> {
  const { config, queue } = parts;
  const row = await queue.next(config.name, turn.last);
  if (row === undefined) return longestMs;
  const early = Math.max(row.next_at - queue.now(), turn.restsUntil - performance.now());
  if (early > 0) return early;
  turn.last = row.agent;
  const answer = await postHook(receiverOf(parts), row, signal);
  if (signal.aborted) return 0;
  if ('taken' in answer) {
    await queue.drop(row.row);
    troubles.worked();
    turn.failures = 0;
    return 0;
  }
  turn.restsUntil = performance.now() + Math.min(backoff(turn.failures), longestRestMs);
  turn.failures += 1;
  await tryLater(row, answer, queue, troubles);
  return 0;
}

async function tryLater(
  row: HookDeliveryRow,
  { why, waitMs = 0 }: Exclude<HookAnswer, { readonly taken: true }>,
  queue: HookQueue,
  troubles: Troubles,
): Promise<void> {
  troubles.failed(why);
  const nextAt = queue.now() + Math.max(backoff(row.tries), Math.min(waitMs, longestMs));
  if (nextAt - row.made_at <= giveUpMs) return await queue.later(row.row, nextAt, row.tries + 1);
  await queue.drop(row.row);
  troubles.lose(1, why);
}
