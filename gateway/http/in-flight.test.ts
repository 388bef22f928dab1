import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createNextPiece } from '../../src/next-piece.ts';
import { createOpenRequests } from '../connections/open-requests.ts';
import { createInFlight } from './in-flight.ts';

const large = Buffer.from(JSON.stringify({ args: Array.from({ length: 8000 }, () => 'x') }));

function requestOf(inFlight: ReturnType<typeof createInFlight>, name: string) {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  inFlight.enter(name, request, response);
  return { request, response };
}

test('A-342 P20: of one principal a large body is read at a time, with a turn for others behind each, good or bad', async () => {
  const inFlight = createInFlight(createOpenRequests(createNextPiece()));
  let turns = 0;
  let isOver = false;
  const counting = (async () => {
    while (!isOver) {
      await turn();
      turns += 1;
    }
  })();
  const readAt: number[] = [];
  const read = async (bytes: Buffer) => {
    await inFlight.read(requestOf(inFlight, 'person:a').request, bytes).catch(() => {});
    readAt.push(turns);
  };
  const bad = Buffer.concat([large, Buffer.from('x')]);
  const all = Array.from({ length: 20 }, (_, at) => read(at % 2 === 0 ? large : bad));
  // Another's, and a small one, wait for none of these.
  await inFlight.read(requestOf(inFlight, 'person:b').request, large);
  await inFlight.read(requestOf(inFlight, 'person:a').request, Buffer.from('{}'));
  expect(readAt.length).toBeLessThan(5);
  await Promise.all(all);
  isOver = true;
  await counting;
  expect(new Set(readAt).size).toBe(20);
});

test('A-342: a large body whose caller goes away while it waits is not read', async () => {
  const inFlight = createInFlight(createOpenRequests(createNextPiece()));
  const first = inFlight.read(requestOf(inFlight, 'person:a').request, large);
  const { request, response } = requestOf(inFlight, 'person:a');
  const second = inFlight.read(request, large);
  response.emit('close');
  await expect(second).rejects.toThrow('the caller is gone');
  expect(await first).toMatchObject({ args: expect.any(Array) });
});
