import { spawn, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { chownSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openAuditLog } from '../../gateway/audit/audit-log.ts';
import { auditPosition } from '../../gateway/store/audit-position.ts';
import { openDatabase } from '../../gateway/store/database.ts';
import { launcher } from '../stack/launcher.ts';

const { privateKey } = generateKeyPairSync('ed25519');

let dir: string;
let file: string;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'clawrden-audit-cli-'));
  file = join(dir, 'audit.jsonl');
  const log = await openAuditLog(file, { key: privateKey, maxBytes: 600 });
  for (const text of ['one', 'two\u009b2J', 'three', 'four'])
    await log.append({ type: 'lifecycle', event: 'test', text });
  await log.close();
  writeFileSync(join(dir, 'signing-key.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
});

afterEach(() => rmSync(dir, { recursive: true }));

function clawrden(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [launcher, 'audit', ...args], { encoding: 'utf8' });
}

test('verify follows the chain through its parts, with the signatures', () => {
  const { status, stdout } = clawrden('verify', '--json', file);
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    ok: true,
    records: 5,
    heads: 1,
    vouchedFor: 5,
    signaturesChecked: true,
  });
});

test('verify names the first bad record and fails', () => {
  const [first = ''] = (JSON.parse(clawrden('verify', '--json', file).stdout) as { files: string[] }).files;
  writeFileSync(first, readFileSync(first, 'utf8').replace('one', 'eno'));
  const { status, stderr } = clawrden('verify', file);
  expect(status).toBe(1);
  expect(stderr).toBe(
    `clawrden: audit: ${first}:1: record 1 was changed; nothing from there on can be relied on: keep the file as it is\n`,
  );
});

test.each([[], ['--from', '9999']])('A-110: verify fails for a log that holds nothing %j', (...from) => {
  for (const part of (JSON.parse(clawrden('verify', '--json', file).stdout) as { files: string[] }).files)
    rmSync(part);
  writeFileSync(file, '');
  const { status, stderr } = clawrden('verify', ...from, file);
  expect([status, stderr]).toEqual([1, expect.stringContaining('it holds no record')]);
});

describe('A-110 P25: a log without its beginning', () => {
  const partsOf = () => (JSON.parse(clawrden('verify', '--json', file).stdout) as { files: string[] }).files;

  /** Without the first lines; resolves with the number of the first record that is left. */
  function cut(lines: number): string {
    const [first = ''] = partsOf();
    writeFileSync(first, readFileSync(first, 'utf8').split('\n').slice(lines).join('\n'));
    return first;
  }

  test('fails with the records that are missing and the way out, cut off or moved away', () => {
    const first = cut(1);
    const { status, stdout, stderr } = clawrden('verify', file);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: `clawrden: audit: ${first}:1: record 1 is missing; put back what is missing, or, if you moved it away, say --from 2\n`,
    });
    expect(stdout).toMatch(/records +4, from 2 on\n(.*\n)*vouched for +records 2 to 5\n/);
    rmSync(first);
    const moved = clawrden('verify', file);
    expect(moved).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/records? .* missing; put .*--from \d/),
    });
  });

  test('is good from the record on that --from names, and not if more is missing', () => {
    cut(1);
    expect(clawrden('verify', '--from', '2', file)).toMatchObject({ status: 0, stderr: '' });
    expect(JSON.parse(clawrden('verify', '--json', '--from', '4', file).stdout)).toMatchObject({
      ...{ ok: true, first: 2, records: 4, vouchedFor: 5 },
    });
    expect(clawrden('verify', '--from', '5', file).status).toBe(0);
    const beyond = clawrden('verify', '--from', '6', file);
    expect([beyond.status, beyond.stderr]).toEqual([
      1,
      expect.stringContaining('it ends with record 5, before record 6; '),
    ]);
    rmSync(partsOf()[0] ?? '');
    const { status, stderr } = clawrden('verify', '--from', '2', file);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringMatching(/: records? 2.* missing; /),
    });
    expect(clawrden('verify', '--from', '0', file).status).toBe(2);
    expect(clawrden('verify', '--from', '2x', file).status).toBe(2);
  });

  test('names a part that has another name, and not the files that a gateway puts there', () => {
    const [first = ''] = partsOf();
    renameSync(first, `${file}.2`);
    for (const name of ['.cut.7', '.cut.7.1', '.next', '.next.1']) writeFileSync(file + name, '');
    const { status, stdout } = clawrden('verify', '--json', file);
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, unread: [`${file}.2`] });
    expect(clawrden('verify', file).stdout).toContain('not read');
  });

  test('a worse fault behind it is named first', () => {
    cut(1);
    const last = readFileSync(file, 'utf8');
    writeFileSync(file, last.replace('"type"', '"type":"x","type"'));
    expect(clawrden('verify', file).stderr).toMatch(/record \d was changed; nothing from there on/);
  });
});

test('A-109: tail shows a line as text that a gateway does not write so', () => {
  const lines = readFileSync(file, 'utf8').split('\n');
  const forged = `{"type":"forged",${lines[0]?.slice(1)}`;
  writeFileSync(file, [forged, ...lines.slice(1)].join('\n'));
  const shown = clawrden('tail', file).stdout.split('\n').slice(0, -1);
  expect(JSON.parse(shown[0] ?? '')).toBe(forged);
  expect(shown.slice(1)).toEqual(lines.slice(1, -1));
});

test('A-70: tail shows the newest records, one a line, with nothing for a terminal to obey', () => {
  const { status, stdout } = clawrden('tail', '-n', '2', join(dir, 'audit.jsonl'));
  expect(status).toBe(0);
  expect(
    stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { type: string }).type)
      .at(-1),
  ).toBe('head');
  expect(stdout).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\uffff]/);
});

test('tail --from begins at a record and goes through all parts; with -f it goes on, across a rotation', async () => {
  const lines = (text: string) => text.split('\n').slice(0, -1);
  const seqs = (text: string) => lines(text).map((line) => (JSON.parse(line) as { seq: number }).seq);
  expect(seqs(clawrden('tail', '--from', '2', file).stdout)).toEqual([2, 3, 4, 5]);
  expect(seqs(clawrden('tail', '--from', '6', file).stdout)).toEqual([]);
  expect(clawrden('tail', '--from', '0', file).status).toBe(2);
  const child = spawn(process.execPath, [launcher, 'audit', 'tail', '--from', '4', '-f', file]);
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => void (printed += text));
  try {
    await expect.poll(() => seqs(printed), { timeout: 20_000 }).toEqual([4, 5]);
    const log = await openAuditLog(file, { key: privateKey, maxBytes: 600 });
    for (const text of ['six', 'seven', 'eight'])
      await log.append({ type: 'lifecycle', event: 'test', text });
    await log.close();
    await expect.poll(() => seqs(printed), { timeout: 20_000 }).toEqual([4, 5, 6, 7, 8, 9]);
  } finally {
    child.kill();
  }
});

test('tail takes a number of lines, and prints nothing for anything else', () => {
  const { status, stdout, stderr } = clawrden('tail', '-n', 'ten', file);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr.trim().split('\n')).toHaveLength(1);
});

test('tail -f follows over rotations, and misses nothing', async () => {
  const child = spawn(process.execPath, [launcher, 'audit', 'tail', '-n', '1', '-f', file]);
  try {
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    const texts = () => text.split('\n').flatMap((line) => line.match(/"text": ?"(n\d+)"/)?.[1] ?? []);
    await expect.poll(() => text).toContain('"head"');
    const log = await openAuditLog(file, { key: privateKey, maxBytes: 1500 });
    const wanted = Array.from({ length: 30 }, (_, index) => `n${index}`);
    for (const one of wanted) {
      await log.append({ type: 'lifecycle', event: 'test', text: one });
      // It checks four times a second: if a file is renamed between two checks, verify finds it among the parts.
      await sleep(60);
    }
    await expect.poll(texts).toEqual(wanted);
    await log.close();
  } finally {
    child.kill();
  }
});

describe('A-346 P25: verify says whether it has compared the last record with the database', () => {
  const said = (...args: string[]) => clawrden('verify', ...args, file);
  /** In whole lines. */
  const shown = (...args: string[]) => said(...args).stdout.replaceAll(/\\\n +\\ /g, '');

  /** As a gateway leaves it: it knows the last record, or none yet. */
  async function databaseKnows(last: boolean): Promise<string> {
    const path = join(dir, 'clawrden.db');
    const database = await openDatabase(path, 'crash');
    const lines = readFileSync(file, 'utf8').trim().split('\n');
    const { seq, hash } = JSON.parse(lines.at(-1) ?? '') as { seq: number; hash: string };
    if (last) await auditPosition(database).record({ seq, hash });
    await database.destroy();
    return path;
  }

  test('with a database that knows it', async () => {
    const path = await databaseKnows(true);
    expect(said().stdout).toMatch(/last record +5, as the database knows it\n/);
    expect(JSON.parse(said('--json', '--database', path).stdout)).toMatchObject({ ok: true, compared: true });
    expect(JSON.parse(said('--json', '--no-database').stdout)).toMatchObject({ ok: true, compared: false });
  });

  test('without one: it says why, and a database that was named has to be there', async () => {
    const path = join(dir, 'clawrden.db');
    expect(shown()).toContain(`not compared: ${path}: there is no such file`);
    expect(JSON.parse(said('--json').stdout)).toMatchObject({ ok: true, compared: false });
    const refused = (what: string) => ({
      ...{ status: 1, stdout: '' },
      stderr: `clawrden: audit: ${path}: ${what}; name the gateway's, and run this as the user who owns it, or say --no-database\n`,
    });
    expect(said('--database', path)).toMatchObject(refused('there is no such file'));
    await databaseKnows(false);
    expect(said('--database', path)).toMatchObject(refused('it knows no record'));
    expect(shown('--no-database')).toContain('not compared: you said --no-database');
    if (process.geteuid?.() !== 0) return;
    chownSync(path, 65_534, 65_534);
    expect(said('--database', path)).toMatchObject(refused('another user owns it'));
    expect(shown()).toContain(`not compared: ${path}: another user owns it`);
  });
});

test('a log that is not there is one line', () => {
  const { status, stderr } = clawrden('verify', join(dir, 'other', 'audit.jsonl'));
  expect(status).toBe(1);
  expect(stderr.trim().split('\n')).toHaveLength(1);
});
