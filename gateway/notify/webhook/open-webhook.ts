import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { WebhookConfig } from '../../../src/config/notify-config.ts';
import type { Faults } from '../../../src/faults.ts';
import { type HookAnswer, type HookReceiver, postHook } from '../../../src/hooks/post-hook.ts';
import type { News, Notifier } from '../../ports/notifier.ts';
import type { HookDeliveryRow } from '../../store/notice-rows.ts';
import type { HookQueue } from '../../store/notices.ts';
import { hookBody } from './hook-body.ts';

export interface WebhookParts {
  readonly config: WebhookConfig;
  readonly secret: string;
  readonly queue: HookQueue;
  readonly link: (approval: string) => string;
  readonly faults: Faults;
  readonly log: Logger;
}

const [firstMs, longestMs, giveUpMs] = [1_000, 5 * 60_000, 60 * 60_000];
/** The database may be full, or held by another program. */
const faultMs = 5_000;

/** One receiver, told from a queue on the disk, one delivery after another. */
export function openWebhook(parts: WebhookParts): Notifier {
  const { config, queue, link } = parts;
  const closing = new AbortController();
  const state: WorkState = { lastWhy: '', lost: 0, wake: new AbortController() };
  const working = work(parts, state, closing.signal);
  return {
    name: config.name,
    tell: async (news: News) => {
      const { id, event } = news;
      const dropped = await queue.add(config.name, { id, event, body: hookBody(news, link) });
      if (dropped > 0) lose(dropped, 'too many wait', state, parts);
      state.wake.abort();
    },
    problems: () => problemsOf(config.name, state),
    close: async () => {
      closing.abort();
      await working;
    },
  };
}

interface WorkState {
  /** Why the last try failed; empty if it did not. */
  lastWhy: string;
  /** Since the start. */
  lost: number;
  wake: AbortController;
}

function problemsOf(name: string, { lastWhy, lost }: WorkState): string[] {
  const failed = lastWhy === '' ? [] : [`webhook ${name} is not told now: ${lastWhy}`];
  const gone = lost === 0 ? [] : [`webhook ${name} was not told of ${lost} events since the start`];
  return [...failed, ...gone];
}

async function work(parts: WebhookParts, state: WorkState, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    state.wake = new AbortController();
    const waitMs = await step(parts, state, signal).catch((error: unknown) => {
      parts.faults.report('webhook', error);
      return faultMs;
    });
    const either = AbortSignal.any([state.wake.signal, signal]);
    if (waitMs > 0) await sleep(Math.min(waitMs, longestMs), undefined, { signal: either }).catch(() => {});
  }
}

/** One try; resolves with how long to wait for the next one. */
async function step(parts: WebhookParts, state: WorkState, signal: AbortSignal): Promise<number> {
  const { config, secret, queue } = parts;
  const row = await queue.next(config.name);
  if (row === undefined) return longestMs;
  const early = row.next_at - Date.now();
  if (early > 0) return early;
  const receiver: HookReceiver = { url: config.url, private: config.private, secret };
  const answer = await postHook(receiver, row, signal);
  if (signal.aborted) return 0;
  if ('taken' in answer) await queue.drop(row.row);
  else await tryLater(row, answer, parts, state);
  state.lastWhy = 'taken' in answer ? '' : answer.why;
  return 0;
}

async function tryLater(
  row: HookDeliveryRow,
  { why, waitMs = 0 }: Exclude<HookAnswer, { readonly taken: true }>,
  parts: WebhookParts,
  state: WorkState,
): Promise<void> {
  const { queue, config, log } = parts;
  if (state.lastWhy === '') log.warn({ webhook: config.name, why }, 'a webhook is not told now');
  const nextAt = Date.now() + Math.max(backoff(row.tries), Math.min(waitMs, longestMs));
  if (nextAt - row.made_at <= giveUpMs) return await queue.later(row.row, nextAt, row.tries + 1);
  await queue.drop(row.row);
  lose(1, why, state, parts);
}

function backoff(tries: number): number {
  return Math.min(firstMs * 2 ** Math.min(tries, 20), longestMs) * (0.8 + Math.random() * 0.4);
}

function lose(count: number, why: string, state: WorkState, { config, log }: WebhookParts): void {
  state.lost += count;
  log.error({ webhook: config.name, count, why }, 'a webhook was not told');
}
