import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EngineBroke } from './engine-broke.ts';
import { parseJson } from './parse-json.ts';

/** How many pieces parsing takes, and the value. */
async function parsed(json: string) {
  let pieces = 0;
  const value = await parseJson(Buffer.from(json), async () => void (pieces += 1));
  return { pieces, value };
}

test('A-550 P20: a long answer has a piece of its own, and a list of megabytes one for each quarter of a megabyte', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string(), fc.integer({ min: 0, max: 3000 }), async (text, count) => {
      const pad = 'x'.repeat(1500);
      const list = Array.from({ length: count }, (_, n) => ({ n, text, pad, in: [[n], { '],[': '{' }] }));
      const json = `${JSON.stringify(list)}\n`;
      const { pieces, value } = await parsed(json);
      expect(value).toEqual(list);
      const quarters = Buffer.byteLength(json) / (256 * 1024);
      expect(pieces).toBeGreaterThanOrEqual(Math.floor(quarters));
      // One looks whether it is costly, and one where it may be cut.
      expect(pieces).toBeLessThanOrEqual(quarters + 3);
    }),
    { numRuns: 8 },
  );
  expect((await parsed('{"is":"small"}')).pieces).toBe(0);
  expect((await parsed(JSON.stringify({ is: 'x'.repeat(20_000) }))).pieces).toBe(1);
});

test('A-550 P20: a list is not parsed if one of its items is longer than what an engine says of one thing', async () => {
  const long = `{${'"key":1,'.repeat(200_000)}"last":1}`;
  for (const list of [`[${long}]`, `[1,2,${long},3]`])
    await expect(parsed(list)).rejects.toThrow(EngineBroke);
});

test('A-576 P20: a list of very many tiny items is not parsed', async () => {
  for (const item of ['1', '""', 'null', '"]["'])
    await expect(parsed(`[${`${item},`.repeat(100_000)}${item}]`.padEnd(300_000))).rejects.toThrow(
      EngineBroke,
    );
});

test('what is no list to its end is no JSON', async () => {
  const items = JSON.stringify(Array.from({ length: 500 }, () => 'x'.repeat(1500)));
  for (const json of [items.slice(0, -1), `${items}]`, `${items},1`, items.replace('[', '[}'), `${items} x`])
    await expect(parsed(json)).rejects.toThrow(SyntaxError);
});
