import type { ServerResponse } from 'node:http';
import { abortable, deadline } from '../../src/abort.ts';
import { drained } from '../../src/drained.ts';

export interface PumpLimits {
  readonly gone: AbortSignal;
  /** A client that takes nothing for so long is ended. */
  readonly stalledMs: number;
  /** Called before bytes go out; it may throw. */
  readonly spend?: (bytes: number) => void;
}

/** Sends the body of a response as it comes. Never rejects: a client that is gone hears nothing more. */
export async function pumpResponse(
  response: Response,
  to: ServerResponse,
  { gone, stalledMs, spend }: PumpLimits,
): Promise<void> {
  const reader = response.body?.getReader();
  try {
    for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
      spend?.(next.value.length);
      if (to.write(next.value)) continue;
      using limit = deadline(stalledMs, () => new Error('the client takes nothing'), gone);
      await abortable(drained(to), limit.signal);
    }
    to.end();
  } catch {
    to.destroy();
  } finally {
    await reader?.cancel().catch(() => {});
  }
}
