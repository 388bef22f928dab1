import type { CallOptions } from './call-options.ts';
import { eventLines } from './event-lines.ts';
import type { GatewayEvent } from './events.ts';
import { pause } from './pause.ts';

export interface WatchOptions extends CallOptions {
  /** Goes on behind this event: the `id` of one that was told before. */
  readonly after?: string;
  /** True with each sign that the stream is there, an event or not; false when it is gone. */
  readonly onSign?: (isThere: boolean) => void;
}

/** An event, and where to go on behind it. */
export type WatchedEvent = GatewayEvent & { readonly id: string };

/** Asks for the events behind an id; empty for those from now on. */
export type OpenEvents = (after: string, signal: AbortSignal | undefined) => Promise<Response>;

const [firstWaitMs, longestWaitMs] = [500, 30_000];

/**
 * The events without a gap, over as many connections as it takes; after a `reset` some were missed. Rejects if the
 * gateway refuses it, or if its signal aborts.
 */
export async function* watchEvents(
  open: OpenEvents,
  isFinal: (error: unknown) => boolean,
  { after = '', signal, onSign = () => {} }: WatchOptions = {},
): AsyncGenerator<WatchedEvent, void> {
  let [last, waitMs] = [after, firstWaitMs];
  for (;;) {
    try {
      const stream = await open(last, signal);
      onSign(true);
      for await (const { id, data } of eventLines(stream)) {
        onSign(true);
        [last, waitMs] = [id, firstWaitMs];
        const event = data === '' ? undefined : (JSON.parse(data) as GatewayEvent);
        if (event?.type === 'end') break;
        if (event !== undefined) yield { ...event, id };
      }
    } catch (error) {
      if (signal?.aborted === true || isFinal(error)) throw error;
      waitMs = Math.min(longestWaitMs, Math.max(waitMs, waitOf(error)) * 2);
    }
    onSign(false);
    await pause(waitMs, signal);
  }
}

function waitOf(error: unknown): number {
  return (error as { readonly retryAfterMs?: number }).retryAfterMs ?? 0;
}
