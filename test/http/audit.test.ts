import { appendFile, rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect } from '../../src/http-api/client.ts';
import { type LongAudit, writeLongAudit } from '../fixtures/long-audit.ts';
import { answerOf, ask } from './ask.ts';
import { type HttpGateway, startHttpGateway } from './http-gateway.ts';

let log: LongAudit;
let door: HttpGateway;
let token: string;
beforeAll(async () => {
  log = await writeLongAudit();
  door = await startHttpGateway({ warden: log.warden });
  token = door.token('viewer');
});
afterAll(async () => {
  await door[Symbol.asyncDispose]();
  await log[Symbol.asyncDispose]();
});

const seqOf = (row: string | { readonly seq: number }) => (typeof row === 'string' ? row : row.seq);
const upTo = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at);

test('the audit is read page by page from any record on, through its parts', async () => {
  const page = await answerOf(door, 'audit', { token, query: { from: '3', limit: '10' } });
  expect(page.audit.map(seqOf)).toEqual(upTo(3, 12));
  expect(page.audit[0]).toMatchObject({ type: 'lifecycle', text: '3' });
  const client = connect({ url: door.url, token });
  const seqs: unknown[] = [];
  for await (const row of client.list('audit', { from: '5', limit: '7' })) seqs.push(seqOf(row));
  // The last one is the signed head.
  expect(seqs).toEqual(upTo(5, 63));
  const newest = await answerOf(door, 'audit', { token, query: { limit: '1' } });
  expect([newest.audit.map(seqOf), newest.nextCursor]).toEqual([[63], '']);
  const beyond = await answerOf(door, 'audit', { token, query: { from: '64' } });
  expect(beyond).toEqual({ audit: [], nextCursor: '' });
});

test('A-116 P20: a page is 512 KiB at most, however long its records are', async () => {
  const query = { from: '60', limit: '1000' };
  const first = await answerOf(door, 'audit', { token, query });
  expect(first.audit.map(seqOf)).toEqual([60, 61]);
  const second = await answerOf(door, 'audit', { token, query: { ...query, cursor: first.nextCursor } });
  expect(second.audit.map(seqOf)).toEqual([62, 63]);
  expect(second.nextCursor).toBe('');
});

test('only numbers of records are taken, and only cursors of this list', async () => {
  const { nextCursor: cursor } = await answerOf(door, 'audit', { token, query: { from: '1', limit: '1' } });
  for (const query of [
    { from: '0' },
    { from: '-1' },
    { from: '1e3' },
    { from: '' },
    { from: '9'.repeat(16) },
    { cursor: 'x' },
  ])
    expect(await ask(door, 'audit', { token, query })).toMatchObject({ problem: { status: 400 } });
  expect(await ask(door, 'executions', { token, query: { cursor } })).toMatchObject({
    problem: { status: 400 },
  });
  const scoped = door.token('admin', { scope: { team: 'web' } });
  expect(await ask(door, 'audit', { token: scoped })).toMatchObject({ problem: { status: 403 } });
});

test('A-109: a line that is no record is a text; a log that cannot be read is told', async () => {
  await appendFile(log.file, '{"seq":64,"changed":true}\nnonsense\u009b\n');
  const { audit } = await answerOf(door, 'audit', { token, query: { from: '63' } });
  expect(audit.map((row) => (typeof row === 'string' ? row : 'record'))).toEqual([
    'record',
    '{"seq":64,"changed":true}',
    'nonsense\u009b',
  ]);
  expect(await ask(door, 'audit', { token })).toMatchObject({
    problem: { status: 503, detail: expect.stringContaining('no audit record') },
  });
  await rm(log.file);
  expect(await ask(door, 'audit', { token, query: { from: '1' } })).toMatchObject({
    problem: { status: 503 },
  });
});
