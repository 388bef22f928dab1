import { setTimeout as pause } from 'node:timers/promises';
import type { GatewayClient } from '../../gateway-client/connect-gateway.ts';
import { type GetRecordingResponse, WardenServiceService } from '../../gen/clawrden/v1/warden.ts';
import type { RecordingEvent, RecordingLine } from '../../http-api/recording.ts';
import { asciiJson } from '../../text/ascii-json.ts';
import { writeOut } from '../print/streams.ts';
import { createTerminalWriter } from './terminal-writer.ts';

interface Wish {
  readonly json?: boolean;
  readonly speed: number;
}

/** Plays a recording with its time, or prints it as an asciicast. */
export async function replayRecording(
  client: GatewayClient,
  asked: { readonly id: string; readonly caller: string },
  { json, speed }: Wish,
): Promise<void> {
  const stream = client.stream(WardenServiceService.getRecording, asked);
  const events: RecordingEvent[] = [];
  // The gateway keeps 8 MiB of it at most, and does not wait for who plays it.
  for await (const { lines } of stream as AsyncIterable<GetRecordingResponse>) {
    for (const line of lines.split('\n')) {
      if (line === '') continue;
      const value = JSON.parse(line) as RecordingLine;
      if (json === true) writeOut(`${asciiJson(value)}\n`);
      else if (!('version' in value)) events.push(value);
    }
  }
  if (json !== true) await play(events, speed);
}

async function play(events: readonly RecordingEvent[], speed: number): Promise<void> {
  using writer = createTerminalWriter('replay');
  const begun = performance.now();
  for (const [seconds, kind, text] of events) {
    const waitMs = (seconds * 1000) / speed - (performance.now() - begun);
    if (waitMs > 1) await pause(waitMs);
    if (kind === 'o') await writer.write(text);
    else writer.gap(text);
  }
}
