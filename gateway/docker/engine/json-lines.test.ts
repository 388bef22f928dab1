import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EngineBroke } from '../../../src/container/engine-broke.ts';
import { jsonLines } from './json-lines.ts';

async function read(chunks: readonly Buffer[]): Promise<unknown[]> {
  const values: unknown[] = [];
  for await (const value of jsonLines(Readable.from(chunks))) values.push(value);
  return values;
}

test('values come out however the stream is cut', async () => {
  const bytes = Buffer.from('{"a":"é"}\r\n\n{"b":2}\n');
  for (let cut = 0; cut <= bytes.length; cut++) {
    expect(await read([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual([{ a: 'é' }, { b: 2 }]);
  }
});

test('a line that never ends is not kept', async () => {
  const endless = read([Buffer.alloc(200_000, 'x'), Buffer.alloc(200_000, 'x')]);
  await expect(endless).rejects.toThrow('longer than 256 KiB');
});

const told = { status: 'die', id: 'a'.repeat(64), Type: 'container', Action: 'die', scope: 'local', time: 1 };

test('an event of a container whose image has labels of a hundred kilobytes is read', async () => {
  const labels = {
    'build.metadata': JSON.stringify(Array.from({ length: 5000 }, () => ({ 'a "b"': [{}] }))),
  };
  const event = { ...told, Actor: { ID: 'a', Attributes: labels } };
  expect(await read([Buffer.from(`${JSON.stringify(event)}\n`)])).toEqual([event]);
});

test('A-550 P20: a line nested deep, or in very many parts, is not parsed, wherever that stands in it', async () => {
  const hostile = fc.constantFrom(
    ...['['.repeat(30_000), '{"a":'.repeat(30_000), '[],'.repeat(30_000), '{"":{}},'.repeat(10_000)],
  );
  await fc.assert(
    fc.asyncProperty(hostile, fc.boolean(), async (text, isWithin) => {
      const line = isWithin ? JSON.stringify({ ...told, x: 1 }).replace('"x":1', `"x":${text}`) : text;
      await expect(read([Buffer.from(`${line}\n`)])).rejects.toThrow(EngineBroke);
    }),
    { numRuns: 20 },
  );
});

test('A-550 P20: of the lines of one chunk few are read in one turn of the event loop, also of empty ones', async () => {
  for (const line of ['[[[[1]]]]\n', `${JSON.stringify(told)}\n`, '\n'.repeat(200).concat('1\n')]) {
    const chunk = Buffer.from(line.repeat(Math.ceil(200_000 / line.length)));
    let [count, isOver] = [0, false];
    const reading = (async () => {
      for await (const _ of jsonLines(Readable.from([chunk]))) count += 1;
      isOver = true;
    })();
    const inTurns: number[] = [];
    while (!isOver) {
      const before = count;
      await turn();
      inTurns.push(count - before);
    }
    await reading;
    expect(count).toBe(chunk.length / line.length);
    // Two turns of the reader may stand between two of ours.
    expect(Math.max(...inTurns) * line.length).toBeLessThanOrEqual(2 * 17_000);
  }
});
