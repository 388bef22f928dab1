import { createPublicKey, type KeyObject } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openAuditLog } from '../../gateway/audit/audit-log.ts';
import { chainLines } from '../../gateway/audit/chain-lines.ts';
import { executionKey, recordedExecutions } from '../../gateway/audit/recorded-executions.ts';
import { readBehind } from '../../gateway/audit/records-behind.ts';
import { beginning, linkHash, verifiedRecord } from '../../src/audit/chain.ts';
import { hashAt } from '../../src/audit/last-link.ts';
import { type Problem, verifyAudit } from '../../src/audit/verify-audit.ts';
import { asciiJson } from '../../src/text/ascii-json.ts';
import { byteEdits, type Edit, orders, rewrites } from './edited-lines.ts';
import { everyRecord } from './every-record.ts';
import { handOver, newKey } from './signing-log.ts';

const runs = process.env['CLAWRDEN_LONG'] === '1' ? 400 : 40;
/** Written by the version before hashes were of the very text: every type, odd text and numbers, two keys. */
const earlier = join(import.meta.dirname, 'earlier');

interface Log {
  readonly lines: readonly string[];
  readonly key: KeyObject;
}

let dir: string;
let logs: { readonly present: Log; readonly earlier: Log };

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'clawrden-edited-'));
  logs = {
    present: await presentLog(),
    earlier: {
      lines: linesIn(await readFile(join(earlier, 'audit.jsonl'), 'utf8')),
      key: createPublicKey(await readFile(join(earlier, 'key.pem'))),
    },
  };
});
afterAll(() => rm(dir, { recursive: true }));

async function presentLog(): Promise<Log> {
  const file = join(dir, 'present.jsonl');
  const [first, second] = [newKey(), newKey()];
  const log = await openAuditLog(file, { key: first });
  for (const record of Object.values(everyRecord)) await log.append(record);
  await handOver(log, first, second);
  for (const record of Object.values(everyRecord)) await log.append(record);
  await log.close();
  return { lines: linesIn(await readFile(file, 'utf8')), key: second };
}

function linesIn(text: string): string[] {
  return text.split('\n').slice(0, -1);
}

let names = 0;
async function verified(content: string | Buffer, { key }: Log) {
  names += 1;
  const file = join(dir, `edited-${names}.jsonl`);
  await writeFile(file, content);
  const report = await verifyAudit([file], { key });
  await rm(file);
  return report;
}

const kinds = ['present', 'earlier'] as const;
/** No record of these was written before hashes were of the very text. */
const younger: ReadonlySet<string> = new Set([
  ...['authority', 'yes', 'link', 'watch', 'sign-in'],
  ...['assignment', 'connection', 'way-out', 'session'],
]);
const typesOf = {
  present: () => Object.keys(everyRecord),
  earlier: () => Object.keys(everyRecord).filter((type) => !younger.has(type)),
};
const anyLine = fc.nat({ max: 1_000_000 });

describe.each(kinds)('A-109 P25: a log with every kind of record (%s)', (kind) => {
  test('is vouched for to its end as it was written', async () => {
    const log = logs[kind];
    const types = new Set(log.lines.map((line) => (JSON.parse(line) as { type: string }).type));
    expect(types).toEqual(new Set([...typesOf[kind](), 'head', 'signing-key']));
    const report = await verified(`${log.lines.join('\n')}\n`, log);
    expect(report).toMatchObject({ first: 1, records: log.lines.length, rotations: 1 });
    expect(report.problem).toBeUndefined();
    // An earlier head signs what is before it.
    expect(report.vouchedFor).toBe(log.lines.length - (kind === 'earlier' ? 1 : 0));
  });

  test.each(Object.entries(rewrites))(
    'a line that says the same in another text is seen: %s',
    async (_, anyEdit) => {
      await fc.assert(
        fc.asyncProperty(anyLine, anyEdit, (n, edit) => expectEditSeen(logs[kind], n, edit)),
        { numRuns: runs / 4 },
      );
    },
  );

  test.each(Object.entries(byteEdits))('each change of bytes is seen: %s', async (_, anyEdit) => {
    await fc.assert(
      fc.asyncProperty(anyLine, anyEdit, async (n, edit) => {
        const log = logs[kind];
        const at = n % log.lines.length;
        const line = Buffer.from(log.lines[at] ?? '');
        const bytes = edit(line);
        if (bytes.equals(line)) return;
        const [before, after] = [log.lines.slice(0, at), log.lines.slice(at + 1)];
        const text = (lines: readonly string[]) => Buffer.from(lines.map((each) => `${each}\n`).join(''));
        const content = Buffer.concat([text(before), bytes, Buffer.from('\n'), text(after)]);
        expectSeen((await verified(content, log)).problem, String(line), at + 1);
      }),
      { numRuns: runs },
    );
  });

  test('so is a line end that is missing, more than one, or another one', async () => {
    const log = logs[kind];
    const text = log.lines.join('\n');
    const last = log.lines.length;
    const why = async (content: string) => (await verified(content, log)).problem;
    expect(await why(text)).toMatchObject({ line: last, why: expect.stringContaining('lacks its newline') });
    expect(await why(`${text}\r\n`)).toMatchObject({ line: last, why: `record ${last} was changed` });
    expect(await why(`${text}\n\n`)).toMatchObject({ line: last + 1, why: 'is no audit record' });
    expect(await why(`\n${text}\n`)).toMatchObject({ line: 1, why: 'is no audit record' });
    expect(await why(`${log.lines.join('\r\n')}\r\n`)).toMatchObject({ line: 1 });
    expect(await why(`${text}\n\0`)).toMatchObject({ line: last + 1 });
  });
});

test.each(Object.entries(orders))(
  'A-109: the order of keys is part of what is hashed: %s',
  async (_, anyEdit) => {
    await fc.assert(
      fc.asyncProperty(anyLine, anyEdit, (n, edit) => expectEditSeen(logs.present, n, edit)),
      { numRuns: runs },
    );
  },
);

/** Of the next line from the given one on in which there is something to change. */
async function expectEditSeen(log: Log, n: number, edit: Edit): Promise<void> {
  const { lines } = log;
  const order = lines.map((_, index) => (n + index) % lines.length);
  const at = order.find((index) => edit(lines[index] ?? '') !== lines[index]) ?? -1;
  const line = lines[at] ?? '';
  const text = edit(line);
  // Positive control: a reader of JSON sees the same record.
  if (!text.startsWith('\ufeff')) expect(plain(text)).toEqual(plain(line));
  const { problem } = await verified(`${lines.with(at, text).join('\n')}\n`, log);
  expectSeen(problem, line, at + 1);
}

/** Which key signs before the first hand-over stands in that record: if it is edited, heads before it are seen. */
function expectSeen(problem: Problem | undefined, line: string, number: number): void {
  const isHandOver = line.includes('"type":"signing-key"');
  expect(problem?.line).toSatisfy((found: number) => found === number || (isHandOver && found > 0));
}

function plain(json: string): unknown {
  const { hash: _, ...body } = JSON.parse(json) as Record<string, unknown>;
  // Equal for every reader that does not tell 0 from -0.
  return JSON.parse(JSON.stringify(body));
}

/** Any UTF-16, lone surrogates included. */
const anyText = fc
  .array(fc.oneof(fc.nat({ max: 0xffff }), fc.integer({ min: 0xd800, max: 0xdfff }), fc.nat({ max: 0x7f })), {
    maxLength: 12,
  })
  .map((units) => String.fromCharCode(...units));
const { value: anyValue } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    anyText,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(-0, 1e21, 5e-324, 2 ** 53, true, false, null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(
      fc.oneof(anyText, fc.constantFrom('7', '10', '__proto__', 'hash', 'seq', '')),
      tie('value'),
      {
        maxKeys: 4,
      },
    ),
  ),
}));

test('A-109: whatever a record says, its line counts, as earlier versions wrote it and as it is written now', () => {
  fc.assert(
    fc.property(
      fc.dictionary(
        anyText.map((text) => `x${text}`),
        anyValue,
      ),
      (said) => {
        const record = { type: 'incident', ...said };
        const { text, last } = chainLines([record], beginning);
        expect(verifiedRecord(text.slice(0, -1))).toMatchObject(last);
        const body = { seq: 1, time: '', mono: 0, ...record, prev: beginning.hash };
        const hash = linkHash(body);
        expect(verifiedRecord(asciiJson({ ...body, hash }))).toMatchObject({ seq: 1, hash });
      },
    ),
    { numRuns: runs * 10 },
  );
});

test('A-109: a longer line than a gateway writes counts only if an earlier version wrote it', () => {
  const text = 'x'.repeat(300 * 1024);
  const body = { seq: 1, type: 'lifecycle', text, prev: beginning.hash };
  expect(verifiedRecord(asciiJson({ ...body, hash: linkHash(body) }))).toMatchObject({ seq: 1 });
  const { text: written } = chainLines([{ type: 'lifecycle', text }], beginning);
  expect(verifiedRecord(written.slice(0, -1))?.['shortened']).toBeDefined();
});

describe('A-109 P25: a start does not believe a line that says the same in another text', () => {
  const forgery: [RegExp, string] = [/^\{/, '{"execution":"forged","principal":"relay:other",'];

  async function edited(type: string): Promise<{ file: string; seq: number }> {
    const file = join(dir, `start-${type}.jsonl`);
    const { lines } = logs.present;
    const at = lines.findIndex((line) => line.includes(`"type":"${type}"`));
    await writeFile(file, `${lines.with(at, (lines[at] ?? '').replace(...forgery)).join('\n')}\n`);
    return { file, seq: at + 1 };
  }

  test('of a lasting change: it is told as missing', async () => {
    const { file, seq } = await edited('revocation');
    const noted: string[] = [];
    const { missing, last } = await readBehind(file, 0, ({ type }) => noted.push(type));
    expect({ missing, last }).toEqual({
      missing: `records ${seq} to ${seq}`,
      last: logs.present.lines.length,
    });
    expect(noted.filter((type) => type === 'revocation')).toHaveLength(1);
    expect(noted.filter((type) => type === 'control')).toHaveLength(2);
  });

  test('of an execution', async () => {
    const { file } = await edited('outcome');
    const { caller, execution } = everyRecord.outcome;
    const lines = linesIn(await readFile(file, 'utf8'));
    const first = lines.findIndex((line) => line.includes('"type":"signing-key"'));
    const one = join(dir, 'one.jsonl');
    await writeFile(one, `${lines.slice(0, first).join('\n')}\n`);
    const found = (await recordedExecutions(one, 0)).get(executionKey(caller, execution));
    expect(Object.keys(found ?? {}).sort()).toEqual(['decision', 'inspection', 'start', 'verdict']);
  });

  test('where the database knows it, and at the end', async () => {
    const { file, seq } = await edited('control');
    expect(await hashAt([file], seq)).toBe('');
    expect(await hashAt([file], seq + 1)).toMatch(/^[0-9a-f]{64}$/);
    const ended = join(dir, 'ended.jsonl');
    const lines = linesIn(await readFile(file, 'utf8')).slice(0, seq);
    await writeFile(ended, `${lines.join('\n')}\n`);
    await expect(openAuditLog(ended, { key: newKey() })).rejects.toThrow(
      'no audit record, or one that was changed',
    );
  });
});
