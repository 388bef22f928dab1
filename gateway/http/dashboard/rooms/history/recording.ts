import type { Client } from '../../../../../src/http-api/client.ts';
import type { RecordingEvent } from '../../../../../src/http-api/recording.ts';

/** A recording that is here as a whole: the gateway keeps 8 MiB at most. */
export interface LoadedRecording {
  /** Of the terminal; undefined if the tool had none. */
  readonly size: { readonly cols: number; readonly rows: number };
  readonly events: readonly RecordingEvent[];
  /** Seconds. */
  readonly length: number;
}

const mostEvents = 2_000_000;

/** Rejects with an ApiError, 404 if nothing was recorded. */
export async function loadRecording(
  client: Client,
  id: string,
  signal: AbortSignal,
): Promise<LoadedRecording> {
  const events: RecordingEvent[] = [];
  let size = { cols: 80, rows: 24 };
  for await (const line of client.recording(id, { signal })) {
    if ('version' in line) size = { cols: line.width, rows: line.height };
    else if (events.length < mostEvents) events.push(line);
  }
  return { size, events, length: events.at(-1)?.[0] ?? 0 };
}
