import { abortable } from '../abort.ts';

/** Rejects with the reason of the signal if that aborts first. */
export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, ms);
  await abortable(over.promise, signal ?? new AbortController().signal).finally(() => clearTimeout(timer));
}
