import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { GatewayClient } from '../../src/gateway-client/connect-gateway.ts';
import type { UnaryMethod } from '../../src/gateway-client/unary-call.ts';
import {
  type Approval,
  type Execution,
  ListApprovalsResponse,
  ListExecutionsResponse,
  Verdict,
  WardenServiceService,
} from '../../src/gen/clawrden/v1/warden.ts';
import { recordOf } from './large-record.ts';
import { type ListedWarden, startListedWarden } from './listed-warden.ts';

const { listApprovals, listExecutions, listAgents, listHosts } = WardenServiceService;
const { getApproval, getExecution, resolveApproval } = WardenServiceService;
/** As docs and proto promise, and the message's own frame. */
const mostBytes = 512 * 1024 + 1024;
const runs = process.env['CLAWRDEN_LONG'] === '1' ? 100 : 4;

let warden: ListedWarden;
let client: GatewayClient;

beforeEach(async () => {
  warden = await startListedWarden();
  ({ client } = warden);
});
afterEach(() => warden[Symbol.asyncDispose]());

/** Texts that are longest in different ways: unchanged, in JSON, in UTF-8. */
const filler = fc.constantFrom('x', '\u0001', '"', '\u00e9', '\u{1f600}', ' ');
const text = fc
  .tuple(filler, fc.oneof(fc.nat(20), fc.integer({ min: 3000, max: 9000 })))
  .map(([one, count]) => one.repeat(count));
const agentName = fc.integer({ min: 0, max: 11 }).map((number) => `agent-${number}`);

interface Pages<Row> {
  readonly rows: Row[];
  readonly first: Row[];
  readonly largest: number;
}

/** Every page, and the size of the largest one as it was sent. */
async function readAll<Request extends object, Response extends { nextPageToken: string }, Row>(
  method: UnaryMethod<Request, Response>,
  request: Omit<Request, 'pageToken'>,
  rowsOf: (response: Response) => Row[],
  sizeOf: (response: Response) => number,
  between: () => Promise<void> = async () => {},
): Promise<Pages<Row>> {
  const rows: Row[] = [];
  let first: Row[] | undefined;
  let [pageToken, largest] = ['', 0];
  do {
    const response = await client.call(method, { ...request, pageToken } as unknown as Request);
    rows.push(...rowsOf(response));
    first ??= rowsOf(response);
    largest = Math.max(largest, sizeOf(response));
    pageToken = response.nextPageToken;
    if (pageToken !== '') await between();
  } while (pageToken !== '');
  return { rows, first, largest };
}

function pagesOfApprovals(limit: number, between?: () => Promise<void>): Promise<Pages<Approval>> {
  const size = (page: ListApprovalsResponse) => ListApprovalsResponse.encode(page).finish().length;
  return readAll(listApprovals, { limit }, (page: ListApprovalsResponse) => page.approvals, size, between);
}

function pagesOfExecutions(limit: number, isRunning: boolean): Promise<Pages<Execution>> {
  const request = { running: isRunning, agent: '', since: '', decision: '', tool: '', q: '', limit };
  const size = (page: ListExecutionsResponse) => ListExecutionsResponse.encode(page).finish().length;
  return readAll(listExecutions, request, (page: ListExecutionsResponse) => page.executions, size);
}

/** All rows of one agent, and then some of others, as an attacker would make them. */
const flood = fc.record({
  count: fc.integer({ min: 0, max: 120 }),
  argument: text,
  others: fc.array(fc.tuple(agentName, fc.array(text, { maxLength: 3 }), text), {
    minLength: 1,
    maxLength: 30,
  }),
  limit: fc.oneof(fc.integer({ min: 12, max: 40 }), fc.constant(1000), fc.constant(0)),
});

const largestFlood = {
  count: 120,
  argument: '\u0001'.repeat(9000),
  others: [['agent-0', ['small'], '/']] as [string, string[], string][],
  limit: 1000,
};

test('A-79: however many questions of whatever size an agent asks, each comes exactly once, in pages that any client takes, and every agent is in the first', async () => {
  await fc.assert(
    fc.asyncProperty(flood, async ({ count, argument, others, limit }) => {
      await warden.renew();
      for (let number = 0; number < count; number += 1)
        await warden.ask('flooder', ['t', argument, `${number}`], argument);
      for (const [agent, args, cwd] of others) await warden.ask(agent, ['t', ...args], cwd);
      const { rows, first, largest } = await pagesOfApprovals(limit);
      expect(rows.map(({ id }) => id).sort()).toEqual(
        warden
          .approvals()
          .pending()
          .map(({ id }) => id)
          .sort(),
      );
      expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
      expect(largest).toBeLessThanOrEqual(mostBytes);
      expect(rows.filter(({ plan }) => plan !== '')).toEqual([]);
      expect(new Set(first.map(({ agent }) => agent))).toEqual(new Set(rows.map(({ agent }) => agent)));
    }),
    { numRuns: runs, examples: [[largestFlood]] },
  );
});

test('A-79: what waits all along comes exactly once while others come and are answered between the pages', async () => {
  for (let number = 0; number < 60; number += 1)
    await warden.ask(`agent-${number % 4}`, ['t', `${number}`], '/');
  const atFirst = warden.approvals().pending();
  const answered = new Set<string>();
  const { rows } = await pagesOfApprovals(7, async () => {
    const [one, two] = warden
      .approvals()
      .pending()
      .filter(({ id }) => id.charCodeAt(0) % 2 === 0);
    for (const each of [one, two]) {
      if (each === undefined) continue;
      answered.add(each.id);
      const request = { id: each.id, planHash: each.planHash, verdict: Verdict.DENY };
      await client.call(resolveApproval, { ...request, reason: '', grantSeconds: 0, via: '' });
    }
    await warden.ask('agent-0', ['t', 'later'], '/');
  });
  const ids = rows.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(atFirst.filter(({ id }) => !answered.has(id) && !ids.includes(id))).toEqual([]);
  expect(answered.size).toBeGreaterThan(5);
});

test('A-79: the largest plan of a question is fetched by the whole id, and is the one that its hash names', async () => {
  for (const one of ['x', '\u0001', '\u{1f600}'])
    await warden.ask(
      'coder',
      ['t', one.repeat(Math.floor(64_000 / Buffer.byteLength(JSON.stringify(one).slice(1, -1))))],
      '/',
    );
  for (const { id, planHash: hash, plan } of warden.approvals().pending()) {
    expect(plan.length).toBeGreaterThan(30_000);
    const { approval } = await client.call(getApproval, { id });
    expect(
      createHash('sha256')
        .update(approval?.plan ?? '')
        .digest('hex'),
    ).toBe(hash);
    expect(approval?.planBytes).toBe(Buffer.byteLength(plan));
    await expect(client.call(getApproval, { id: id.slice(0, 31) })).rejects.toMatchObject({ code: 5 });
  }
});

const rowsOfHistory = fc.array(fc.tuple(agentName, text), { minLength: 1, maxLength: 150 });

test('A-79: history and what runs come whole, each row once, whatever is in them and however they are cut into pages', async () => {
  await fc.assert(
    fc.asyncProperty(rowsOfHistory, fc.constantFrom(0, 1, 7, 1000), async (drawn, limit) => {
      await warden.renew();
      const all = drawn.map(([agent, argument], number) => recordOf(number, agent, argument));
      warden.running = all;
      for (const record of all) warden.history().save(record);
      const wanted = all.map(({ caller, id }) => `${caller} ${id}`).sort();
      for (const isRunning of [false, true]) {
        const { rows, largest } = await pagesOfExecutions(limit, isRunning);
        expect(rows.map(({ caller, id }) => `${caller} ${id}`).sort()).toEqual(wanted);
        expect(largest).toBeLessThanOrEqual(mostBytes);
        expect(rows.filter(({ plan, operands }) => plan !== '' || operands !== '')).toEqual([]);
      }
      const { rows } = await pagesOfExecutions(limit, false);
      expect(rows.map(({ receivedAt }) => receivedAt)).toEqual(
        rows
          .map(({ receivedAt }) => receivedAt)
          .toSorted()
          .reverse(),
      );
    }),
    {
      numRuns: runs,
      examples: [
        [Array.from({ length: 100 }, () => ['agent-0', 'x'.repeat(9000)] as [string, string]), 1000],
      ],
    },
  );
});

test('A-79: rows of an earlier version, a megabyte each, are listed and shown', async () => {
  for (let number = 0; number < 5; number += 1)
    warden.history().save(recordOf(number, 'coder', '\u0001'.repeat(1024 * 1024)));
  const { rows } = await pagesOfExecutions(1000, false);
  expect(rows).toHaveLength(5);
  expect(rows[0]?.cut).toMatchObject({ words: 2 });
  const { execution } = await client.call(getExecution, { id: '0003', caller: '' });
  expect(execution).toMatchObject({ id: '0003', plan: '', text: expect.stringContaining('(1048576 bytes)') });
});

test('two callers with one id are told apart by the caller', async () => {
  for (const caller of ['relay:a', 'relay:b'])
    warden.history().save({ ...recordOf(1, 'coder', 'x'), caller });
  await expect(client.call(getExecution, { id: '0001', caller: '' })).rejects.toMatchObject({ code: 5 });
  const { execution } = await client.call(getExecution, { id: '0001', caller: 'relay:b' });
  expect(execution?.caller).toBe('relay:b');
});

test('a token that belongs to no list is refused, and so is one of another list', async () => {
  const forged = ['["history","1",2]', '[1,2]', '["history",1]', '["agents",1]', '["x",{}]', '{}', 'null'];
  const encoded = forged.map((each) => Buffer.from(each).toString('base64url'));
  const refused = { code: 3, details: expect.stringMatching(/page_token/) };
  for (const pageToken of ['x', 'AAAA', ...encoded]) {
    const all = { agent: '', since: '', decision: '', tool: '', q: '', limit: 0, pageToken };
    await expect(client.call(listExecutions, { ...all, running: false })).rejects.toMatchObject(refused);
    await expect(client.call(listExecutions, { ...all, running: true })).rejects.toMatchObject(refused);
    await expect(client.call(listApprovals, { limit: 0, pageToken })).rejects.toMatchObject(refused);
    await expect(client.call(listAgents, { pageToken })).rejects.toMatchObject(refused);
    await expect(client.call(listHosts, { pageToken })).rejects.toMatchObject(refused);
  }
});
