import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { longestLine } from '../../src/audit/chain.ts';
import { contents, newWitnessed, note, type Witnessed } from './witnessed.ts';

const isLong = process.env['CLAWRDEN_LONG'] === '1';
const numRuns = isLong ? 200 : 20;

/** Three records and the signed head, as a stopped gateway leaves them. */
async function ownLog(at: Witnessed): Promise<Buffer> {
  await using log = await at.open();
  for (const text of ['one', 'two', 'three']) await log.append(note(text));
  await log.close();
  return await readFile(at.file);
}

const withoutDatabase = (names: readonly string[]) => names.filter((name) => !name.startsWith('clawrden'));

/** A refused file is left unchanged, byte for byte, and nothing is put beside it. */
async function expectRefused(at: Witnessed, bytes: Uint8Array): Promise<void> {
  await writeFile(at.file, bytes);
  const before = withoutDatabase(await readdir(at.dir));
  const error = (await at.open().then(
    () => undefined,
    (thrown: unknown) => thrown,
  )) as Error | undefined;
  expect(error?.message ?? `it was taken: ${Buffer.from(bytes.subarray(0, 80)).toString()}`).toMatch(
    /^the audit \S+ cannot be used: [^\n]+; [^\n]+$/,
  );
  expect(Buffer.compare(await readFile(at.file), bytes)).toBe(0);
  expect(withoutDatabase(await readdir(at.dir))).toEqual(before);
}

const other = fc.oneof(
  fc.uint8Array({ minLength: 1, maxLength: 3000 }),
  fc.string({ minLength: 1, unit: 'binary' }).map((text) => Buffer.from(text)),
  fc.json().map((text) => Buffer.from(text)),
  fc
    .constantFrom('{', '{"', '{"seq":', '{"seq":1', 'root:x:0:0', '\n', '\0')
    .map((text) => Buffer.from(text)),
);

describe('P25: a start never cuts or overwrites what is not provably the unfinished last record of its own log', () => {
  test.each([
    ['without a line end', (bytes: Uint8Array) => bytes],
    ['with one', (bytes: Uint8Array) => Buffer.concat([bytes, Buffer.from('\n')])],
    [
      'longer than a record',
      (bytes: Uint8Array) =>
        Buffer.concat([Buffer.from('{"seq":1,"time":"'), bytes, Buffer.alloc(longestLine)]),
    ],
  ])('P25: a file of somebody else %s is refused and left alone', async (_, change) => {
    await using at = await newWitnessed();
    await fc.assert(
      fc.asyncProperty(other, async (bytes) => {
        await expectRefused(at, change(bytes));
      }),
      { numRuns },
    );
  });

  test('P25: foreign bytes behind our last record are refused, and so is a log without its line ends', async () => {
    await using at = await newWitnessed();
    const own = await ownLog(at);
    await fc.assert(
      fc.asyncProperty(other, async (bytes) => {
        fc.pre(!'{"seq":5,"time":"'.startsWith(Buffer.from(bytes).toString()));
        await expectRefused(at, Buffer.concat([own, bytes]));
      }),
      { numRuns },
    );
    for (const between of ['', ' ', '\r', '\t\r', ','])
      await expectRefused(at, Buffer.from(own.toString().replaceAll('\n', between)));
    const [first = ''] = own.toString().split('\n');
    await expectRefused(at, Buffer.from(`${first.replace('one', 'two')}\n`));
    await expectRefused(at, Buffer.concat([own, own.subarray(0, 100)]));
    const long = Buffer.concat([Buffer.from('{"seq":5,"time":"'), Buffer.alloc(longestLine, 'x')]);
    await expectRefused(at, Buffer.concat([own, long]));
  });

  test('P25: our own log, cut off at any byte, goes on behind its last whole record; what was cut is kept, and an incident', {
    timeout: isLong ? 300_000 : 60_000,
  }, async () => {
    const cuts: number[] = [];
    {
      await using at = await newWitnessed();
      const { length } = await ownLog(at);
      for (let cut = 1; cut < length; cut += isLong ? 7 : 83) cuts.push(cut);
    }
    for (const cut of cuts) {
      await using at = await newWitnessed();
      const own = (await ownLog(at)).subarray(0, cut);
      await writeFile(at.file, own);
      if (cut < '{"seq":1,"time":"'.length) {
        await expectRefused(at, own);
        continue;
      }
      {
        await using log = await at.open();
        await log.append(note('after'));
      }
      const whole = own.subarray(0, own.lastIndexOf('\n') + 1).toString();
      const rest = own.subarray(own.lastIndexOf('\n') + 1).toString();
      expect(await readFile(at.file, 'utf8')).toContain(whole);
      expect(await contents(at.dir)).toContain(rest);
      const names = await readdir(at.dir);
      const aside = names.filter((name) => name.includes('.cut.'));
      const isWhole = rest === '' || rest.endsWith('"}');
      expect(aside).toHaveLength(isWhole ? 0 : 1);
      if (aside[0] !== undefined) expect(await readFile(join(at.dir, aside[0]), 'utf8')).toBe(rest);
      expect(await at.incidents('audit-cut')).toHaveLength(aside.length);
      // The database knows that there were more records.
      const { problem } = await at.verify();
      expect(problem?.why ?? 'missing').toContain('missing');
      expect((await at.texts()).at(-1)).toBe('after');
    }
  });
});
