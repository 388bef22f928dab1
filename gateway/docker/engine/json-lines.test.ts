import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
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
  await expect(read([Buffer.alloc(2 * 1024 * 1024, 'x')])).rejects.toThrow('1 MiB');
});
