import type { ServerResponse } from 'node:http';
import type { EventFeed, GatewayEvent } from '../../ports/events.ts';
import type { EventFrames } from './event-frames.ts';

/** What one reader may hear now. */
export interface Hearing {
  readonly hears: (event: GatewayEvent) => boolean;
  readonly agent: (name: string) => boolean;
}

/** One stream of events: it takes what is behind its place as fast as its reader does, and keeps nothing. */
export interface EventReader {
  /** There may be new events. */
  readonly go: () => void;
  /** What it hears has changed. */
  readonly hear: (hearing: Hearing) => void;
  readonly reset: (reason: string) => void;
  /** For how long nothing was written: because nothing came, or because its reader takes nothing. */
  readonly quietMs: () => number;
  readonly isStalled: () => boolean;
  readonly mark: () => void;
  readonly end: (reason: string) => void;
}

export interface EventReaderParts {
  readonly from: number;
  readonly hearing: Hearing;
  /** What is read and written at once is a piece: most of an hour may be behind a reader. */
  readonly inPieces: (work: () => void) => () => void;
}

/** How long its reader may take for the last words. */
const leaveMs = 2000;
/** About; so much is in memory for a reader that takes nothing. */
const writtenAtOnce = 32 * 1024;

export function createEventReader(
  response: ServerResponse,
  feed: EventFeed,
  frames: EventFrames,
  { from, hearing: first, inPieces }: EventReaderParts,
): EventReader {
  let [place, hearing, isStalled, wroteAt] = [from, first, false, performance.now()];
  const goOn = inPieces(() => {
    if (isStalled || isOver()) return;
    if (!feed.isWhole(place, hearing.agent)) return reset('events were missed: they are not kept any more');
    const text = next();
    if (text === undefined) return;
    if (text !== '') write(text);
    go();
  });
  const isOver = () => response.writableEnded || response.destroyed;

  function write(text: string): void {
    if (isOver()) return;
    wroteAt = performance.now();
    isStalled = !response.write(text);
  }

  function reset(reason: string): void {
    place = feed.begin();
    write(frames.notice('reset', reason, place));
  }

  /** Of the events behind its place as many as are written at once; undefined if there are none. */
  function next(): string | undefined {
    const events = feed.after(place);
    if (events.length === 0) return undefined;
    const batch = batchOf(events, hearing, frames);
    place = batch.upTo;
    return batch.text;
  }

  function go(): void {
    if (!isStalled && !isOver()) goOn();
  }

  response.on('drain', () => {
    isStalled = false;
    go();
  });
  return {
    go,
    hear: (other) => {
      hearing = other;
    },
    reset,
    quietMs: () => performance.now() - wroteAt,
    isStalled: () => isStalled,
    mark: () => write(frames.mark(place)),
    end: (reason) => {
      if (!isOver()) end(response, frames.notice('end', reason));
    },
  };
}

function batchOf(events: readonly GatewayEvent[], { hears }: Hearing, frames: EventFrames) {
  let [text, upTo] = ['', 0];
  for (const event of events) {
    upTo = event.place;
    if (hears(event)) text += frames.of(event);
    if (text.length > writtenAtOnce) break;
  }
  return { text, upTo };
}

function end(response: ServerResponse, text: string): void {
  response.end(text);
  const timer = setTimeout(() => response.destroy(), leaveMs).unref();
  response.once('close', () => clearTimeout(timer));
}
