import { mkdtemp, open, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { rotatedName } from './audit-files.ts';
import { chainedLine, firstLink, verifiedRecord } from './chain.ts';
import { linesFrom, linesOfAudit } from './read-from.ts';

let file: string;
let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'clawrden-read-from-'));
  file = join(dir, 'audit.jsonl');
});
afterEach(() => rm(dir, { recursive: true, force: true }));

/** So many records with texts of these lengths, over and over. */
function recordsOf(count: number, lengths: readonly number[]): string[] {
  let prev = firstLink;
  return Array.from({ length: count }, (_, at) => {
    const body = { seq: at + 1, time: 't', text: 'ü'.repeat(lengths[at % lengths.length] ?? 0), prev };
    const { line, hash } = chainedLine(body);
    prev = hash;
    return line;
  });
}

/** Writes them as a log whose parts end behind these records. */
async function write(lines: readonly string[], ends: readonly number[], odd = ''): Promise<void> {
  let from = 0;
  for (const end of [...ends, lines.length]) {
    const part = lines.slice(from, end).map((line) => `${line}\n`);
    await writeFile(
      end === lines.length ? file : rotatedName(file, end),
      part.join('') + (end === lines.length ? odd : ''),
    );
    from = end;
  }
}

async function read(from: number, most = Number.POSITIVE_INFINITY): Promise<string[]> {
  const texts: string[] = [];
  for await (const { text } of linesFrom(file, from)) if (texts.push(text) >= most) break;
  return texts;
}

const numRuns = process.env['CLAWRDEN_LONG'] ? 100 : 25;

test('P12: a log is read from any record on, whatever its parts and the lengths of its lines are', async () => {
  const lengths = fc.array(fc.oneof(fc.nat(200), fc.nat(3_000), fc.constant(12_000)), {
    minLength: 1,
    maxLength: 9,
  });
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 60 }),
      lengths,
      fc.array(fc.nat(59)),
      async (count, all, cuts) => {
        const lines = recordsOf(count, all);
        const ends = [...new Set(cuts.filter((cut) => cut > 0 && cut < count))].toSorted((a, b) => a - b);
        await write(lines, ends);
        for (const from of [
          1,
          2,
          Math.ceil(count / 3),
          count,
          count + 1,
          ...ends,
          ...ends.map((end) => end + 1),
        ])
          expect((await read(from)).map((text) => text.slice(0, 12))).toEqual(
            lines.slice(from - 1).map((text) => text.slice(0, 12)),
          );
        expect((await read(1)).every((text) => verifiedRecord(text) !== undefined)).toBe(true);
        const last: string[] = [];
        for await (const { text } of linesOfAudit(file, undefined, 7)) last.push(text);
        expect(last).toEqual(lines.slice(-7));
        await rm(dir, { recursive: true, force: true });
        dir = await mkdtemp(join(tmpdir(), 'clawrden-read-from-'));
        file = join(dir, 'audit.jsonl');
      },
    ),
    { numRuns },
  );
});

test('P20: what is before and behind a page is not read', async () => {
  const lines = recordsOf(4_000, [1_500]);
  await write(lines, []);
  const before = await open(file);
  const { size } = await before.stat();
  const reads: number[] = [];
  const proto = Object.getPrototypeOf(before) as {
    read: (...given: unknown[]) => Promise<{ bytesRead: number }>;
  };
  await before.close();
  const real = proto.read;
  proto.read = async function (...given) {
    const result = await real.apply(this, given);
    reads.push(result.bytesRead);
    return result;
  };
  try {
    expect(await read(2_345, 10)).toEqual(lines.slice(2_344, 2_354));
  } finally {
    proto.read = real;
  }
  expect(size).toBeGreaterThan(30_000_000);
  expect(reads.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(2_500_000);
});

test('A-109: lines that are no records are there as they are, and hide none behind them', async () => {
  const lines = recordsOf(300, [2_000]);
  const odd = ['nonsense', '{"seq":', '{"seq":0,"x":1}', 'x'.repeat(300_000), ''];
  await write(
    lines.flatMap((line, at) => (at % 10 === 9 ? [line, ...odd] : [line])),
    [],
  );
  const seen = await read(95);
  expect(seen.filter((text) => verifiedRecord(text))).toEqual(lines.slice(94));
  expect(seen.filter((text) => text === 'nonsense').length).toBe(21);
});

test('bytes behind the last line end are no line, and a part that is renamed meanwhile is read once', async () => {
  const lines = recordsOf(6, [10]);
  await write(lines, [3], '{"seq":7,"ti');
  const found = linesFrom(file, 1);
  const first = await found.next();
  await rename(file, rotatedName(file, 6));
  await writeFile(file, '');
  const rest: string[] = [];
  for await (const { text } of found) rest.push(text);
  expect([first.value?.text, ...rest].filter((text) => verifiedRecord(text ?? ''))).toEqual(lines);
  expect(await read(7)).toEqual([]);
});
