import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createNextPiece, inPieces } from '../../../src/next-piece.ts';
import type { EventFeed, GatewayEvent } from '../../ports/events.ts';
import { createEventReader } from './event-reader.ts';

const newest = 20_000;
const change = { type: 'policy', row: { hash: '', problem: '' } } as const;

/** Counts what is read and written in one turn. Each client takes all at once, so that it drains at once. */
function startReaders(count: number, hears: (event: GatewayEvent) => boolean) {
  const now = { reads: 0, written: 0 };
  const feed: EventFeed = {
    begin: () => newest,
    after: (place) => {
      now.reads += 1;
      const length = Math.min(500, newest - place);
      return Array.from({ length }, (_, at) => ({
        place: place + 1 + at,
        at: 0,
        agent: '',
        caller: '',
        change,
      }));
    },
    isWhole: () => true,
    watch: () => {},
  };
  const frames = { of: () => 'x'.repeat(300), notice: () => '', mark: () => '', placeOf: () => undefined };
  const nextPiece = createNextPiece();
  const sent = Array.from({ length: count }, () => 0);
  for (const at of sent.keys()) {
    const response = Object.assign(new EventEmitter(), {
      ...{ writableEnded: false, destroyed: false },
      write: (text: string) => {
        now.written += text.length;
        sent[at] = (sent[at] ?? 0) + text.length;
        process.nextTick(() => response.emit('drain'));
        return false;
      },
    });
    const hearing = { hears, agent: () => true };
    const pieces = (work: () => void) => inPieces(nextPiece, work);
    const parts = { from: 0, hearing, inPieces: pieces };
    createEventReader(response as unknown as ServerResponse, feed, frames, parts).go();
  }
  return { now, sent };
}

async function mostInTurns(now: { reads: number; written: number }, isOver: () => boolean) {
  const most = { reads: 0, written: 0 };
  while (!isOver()) {
    Object.assign(now, { reads: 0, written: 0 });
    await turn();
    most.reads = Math.max(most.reads, now.reads);
    most.written = Math.max(most.written, now.written);
  }
  return most;
}

test('A-551 P20: of readers that come back from long ago one writes in a turn, and one batch', async () => {
  const { now, sent } = startReaders(3, () => true);
  const most = await mostInTurns(now, () => sent.every((bytes) => bytes === newest * 300));
  // What ends a turn and what begins the next may both be between two of ours.
  expect(most.reads).toBeLessThanOrEqual(2);
  expect(most.written).toBeLessThanOrEqual(2 * 34 * 1024);
});

test('A-551 P20: nor does a reader look through more at once that hears none of it', async () => {
  let seen = 0;
  const { now } = startReaders(3, ({ place }) => {
    if (place === newest) seen += 1;
    return false;
  });
  expect((await mostInTurns(now, () => seen === 3)).reads).toBeLessThanOrEqual(2);
});
