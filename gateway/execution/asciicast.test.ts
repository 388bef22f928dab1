import fc from 'fast-check';
import { expect, test } from 'vitest';
import { asciicastOf } from './asciicast.ts';
import { createTimedRecorder } from './record-timed.ts';
import { createRecordingRoom } from './recording-room.ts';

type Event = readonly [seconds: number, kind: string, data: string];

async function castOf(chunks: readonly Uint8Array[], terminal?: { cols: number; rows: number }) {
  let at = 0;
  const recorder = createTimedRecorder(createRecordingRoom().of('coder'), terminal, () => at);
  for (const bytes of chunks) {
    at += 100;
    recorder.add(1, bytes);
  }
  const { parts, ...rest } = recorder.recording();
  const kept = {
    ...rest,
    parts: async function* () {
      yield* parts;
    },
  };
  let text = '';
  for await (const line of asciicastOf(kept, rest.begunAt, async () => {})) text += line;
  const [head = '', ...events] = text.trimEnd().split('\n');
  return { head: JSON.parse(head) as object, events: events.map((line) => JSON.parse(line) as Event) };
}

test('text is the same wherever a chunk ends; lines go back to the left where no terminal did that', async () => {
  const text = fc.array(fc.constantFrom('a', 'ü', '€', '🐚', '\n', '\r\n', '\r', '\u001b[1m'), {
    maxLength: 12,
  });
  await fc.assert(
    fc.asyncProperty(
      text,
      fc.array(fc.nat(60), { maxLength: 4 }),
      fc.boolean(),
      async (all, cuts, isTerminal) => {
        const bytes = Buffer.from(all.join(''));
        const borders = [0, ...cuts.filter((cut) => cut < bytes.length), bytes.length].toSorted(
          (a, b) => a - b,
        );
        const chunks = borders.slice(1).map((to, at) => bytes.subarray(borders[at], to));
        const { events } = await castOf(chunks, isTerminal ? { cols: 9, rows: 5 } : undefined);
        const expected = isTerminal ? all.join('') : all.join('').replaceAll(/(?<!\r)\n/g, '\r\n');
        expect(events.map(([, , data]) => data).join('')).toBe(expected);
        const times = events.map(([seconds]) => seconds);
        expect(times).toEqual(times.toSorted((a, b) => a - b));
      },
    ),
    { numRuns: 60 },
  );
});

test('its head has the size of the terminal; bytes that are no text are marked', async () => {
  const { head, events } = await castOf([Buffer.from([0x61, 0xff, 0xc3])], { cols: 132, rows: 43 });
  expect(head).toEqual({ version: 2, width: 132, height: 43, timestamp: expect.any(Number) });
  expect(events).toEqual([
    [0.1, 'o', 'a�'],
    [0.1, 'o', '�'],
  ]);
});

test('A-551 P20: of a recording of single bytes some hundred entries are a piece, and one that is read together', async () => {
  const recorder = createTimedRecorder(createRecordingRoom().of('coder'), undefined, () => 0);
  const written = 20_100;
  for (let at = 0; at < written; at += 1) recorder.add(at % 2 === 0 ? 1 : 2, Buffer.from('x'));
  const { parts, ...rest } = recorder.recording();
  const kept = {
    ...rest,
    parts: async function* () {
      yield* parts;
    },
  };
  let pieces = 0;
  const linesOf: number[] = [];
  for await (const lines of asciicastOf(kept, rest.begunAt, async () => void (pieces += 1)))
    linesOf.push(lines.split('\n').length - 1);
  const lines = linesOf.reduce((sum, each) => sum + each, 0);
  // The head is one; entries of one stream in a row may have been joined.
  expect(lines).toBeGreaterThan(written / 2);
  expect(Math.max(...linesOf)).toBeLessThanOrEqual(501);
  expect(linesOf.length).toBeLessThan(lines / 400);
  expect(pieces).toBe(linesOf.length);
});
