import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Routes } from '../../src/http-api/routes.ts';
import type { NextPiece } from '../../src/next-piece.ts';
import { boundedWriter } from '../../src/wire/bounded-writer.ts';
import { asciicastOf } from '../execution/asciicast.ts';
import type { Call } from './add-routes.ts';
import { HttpRefused } from './problem.ts';

const lookMs = 1000;
/** A reader that takes nothing for so long is left. */
const patienceMs = 30_000;

type RecordingCall = Call<Routes['recording']>;

/** What was recorded with its timing, some lines at a time; never all of it in memory. */
export async function sendRecording(call: RecordingCall, nextPiece: NextPiece): Promise<undefined> {
  const { id } = call.params;
  const { warden } = call.seen;
  const record = await warden.execution(id, '');
  const recording = record && (await warden.recording(record.caller, record.id));
  if (record === undefined || recording === undefined)
    throw new HttpRefused(404, `no timing of an execution ${id} was recorded`);
  const { reply } = call;
  reply.hijack();
  const headers = reply.getHeaders() as Record<string, string>;
  reply.raw.writeHead(200, { ...headers, 'content-type': 'application/x-ndjson' });
  try {
    await send(call, asciicastOf(recording, record.startedAt ?? recording.begunAt, nextPiece));
    reply.raw.end();
  } finally {
    // Cut short, so that no reader takes it for the whole.
    if (!reply.raw.writableEnded) reply.raw.destroy();
  }
}

async function send(call: RecordingCall, lines: AsyncIterable<string>): Promise<void> {
  const response: ServerResponse = call.reply.raw;
  const writer = boundedWriter<string>(response);
  response.once('close', () => writer.release());
  for await (const some of lines) {
    if (response.destroyed) return;
    const written = writer.write(some, some.length);
    if (written !== undefined && !(await isTaken(call, written))) return void response.destroy();
  }
}

/** False if its reader is gone, takes nothing, or may not read it any more. */
async function isTaken({ reply: { raw }, check }: RecordingCall, written: Promise<void>): Promise<boolean> {
  const taken = written.then(() => true);
  for (let waited = 0; waited < patienceMs; waited += lookMs) {
    const stop = new AbortController();
    const look = pause(lookMs, false, { ref: false, signal: stop.signal }).catch(() => false);
    const isDone = await Promise.race([taken, look]);
    stop.abort();
    if (raw.destroyed || 'refused' in check()) return false;
    if (isDone) return true;
  }
  return false;
}
