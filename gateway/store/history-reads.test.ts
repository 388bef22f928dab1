import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { CompiledQuery, createQueryId, type KyselyPlugin, type RootOperationNode } from 'kysely';
import { expect, test } from 'vitest';
import { createApprovalStore } from '../approvals/approval-store.ts';
import type { ExecutionRecord, HistoryFilter } from '../ports/execution-record.ts';
import { type Database, openDatabase } from './database.ts';
import { type History, openHistory } from './history.ts';

const decisions = ['allow', 'deny', 'ask', ''] as const;

function recordOf(number: number, change: Partial<ExecutionRecord> = {}): ExecutionRecord {
  return {
    ...{ id: `e${number}`, caller: 'relay:r', agent: 'coder', argv: ['ls'], cwd: '/app', state: 'ended' },
    ...{ decision: 'allow', rule: 'r', decisionReason: '', strategy: 'ghost', host: '', container: '' },
    ...{ planHash: '', plan: '', approvalId: '', approver: '', outcome: '', reason: '', text: '' },
    ...{ uid: 0, gid: 0, exitCode: 0, exitSignal: 0, stdoutBytes: 0, stderrBytes: 0, operands: '' },
    ...{ receivedAt: number, decidedAt: undefined, startedAt: undefined, endedAt: number },
    ...change,
  };
}

/** How the database goes about each query that `use` makes. */
async function plansOf(use: (database: Database) => Promise<unknown>): Promise<string[]> {
  const database = await openDatabase(':memory:', 'crash');
  const nodes: RootOperationNode[] = [];
  const listens: KyselyPlugin = {
    transformQuery: ({ node }) => {
      nodes.push(node);
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  await use(database.withPlugin(listens));
  const plans: string[] = [];
  for (const node of nodes) {
    const { sql, parameters } = database.getExecutor().compileQuery(node, createQueryId());
    if (!sql.startsWith('select')) continue;
    const explained = CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]);
    const { rows } = await database.executeQuery<{ detail: string }>(explained);
    plans.push(rows.map(({ detail }) => detail).join('; '));
  }
  await database.destroy();
  return plans;
}

const byNumber = 'SEARCH executions USING INTEGER PRIMARY KEY (rowid=?)';

test.each(
  [{}, { agent: 'a' }, { agents: ['a', 'b'] }].flatMap((whose) =>
    ['', 'npm'].flatMap((tool) => ['', 'deny'].map((decision) => ({ ...whose, tool, decision }))),
  ),
)('A-407: a page of %j reads no more rows of an agent, tool and decision than it shows', async (by) => {
  const filter: HistoryFilter = { agent: '', since: 5, behind: { receivedAt: 9, row: 9 }, limit: 50, ...by };
  const plans = await plansOf(async (database) => {
    const history = openHistory(database);
    for (const agent of ['a', 'b'])
      history.save(recordOf(agent.charCodeAt(0), { agent, argv: ['npm'], decision: 'deny', receivedAt: 6 }));
    expect(await Array.fromAsync(history.page({ ...filter, until: 8 }))).not.toEqual([]);
    await Array.fromAsync(history.page(filter));
  });
  const named = [
    ...('agent' in by || 'agents' in by ? ['agent=?'] : []),
    ...(by.tool === '' ? [] : ['tool=?']),
    ...(by.decision === '' && by.tool === '' ? [] : ['decision=?']),
  ];
  const pages = plans.filter((plan) => plan !== byNumber);
  expect(pages.length).toBeGreaterThan(0);
  for (const plan of pages) {
    expect(plan).toMatch(/^SEARCH executions USING (COVERING )?INDEX \w+ \([^;]*$/);
    for (const each of named) expect(plan).toContain(each);
    expect(plan).toContain('received_at>? AND received_at<?');
  }
});

test('a page has the newest rows of what its filter names, and goes on where it ended', async () => {
  const agents = ['a', 'b', 'c'];
  const row = fc.record({
    agent: fc.constantFrom(...agents),
    decision: fc.constantFrom(...decisions),
    argv: fc.constantFrom(['npm', 'ci'], ['git']),
    receivedAt: fc.integer({ min: 1, max: 9 }),
  });
  const wish = fc.record(
    {
      agent: fc.constantFrom('a', ''),
      agents: fc.subarray(['a', 'b', 'b', 'nobody']),
      decision: fc.constantFrom('', 'deny'),
      tool: fc.constantFrom('', 'npm'),
      since: fc.integer({ min: 1, max: 9 }),
      until: fc.integer({ min: 1, max: 9 }),
    },
    { requiredKeys: ['agent', 'decision'] },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { maxLength: 40 }),
      wish,
      fc.integer({ min: 1, max: 7 }),
      async (rows, by, limit) => {
        const history = openHistory(await openDatabase(':memory:', 'crash'));
        const records = rows.map((each, at) => recordOf(at, each));
        for (const record of records) history.save(record);
        const expected = records
          .toReversed()
          .filter(
            ({ agent, argv, decision, receivedAt }) =>
              (by.agents?.includes(agent) ?? true) &&
              (by.agent === '' || agent === by.agent) &&
              (by.decision === '' || decision === by.decision) &&
              (!by.tool || argv[0] === by.tool) &&
              receivedAt >= (by.since ?? 0) &&
              receivedAt < (by.until ?? 10),
          )
          .toSorted((one, other) => other.receivedAt - one.receivedAt);
        expect(await readAll(history, { since: undefined, ...by, limit })).toEqual(
          expected.map(({ id }) => id),
        );
        await history.close();
      },
    ),
    { numRuns: process.env['CLAWRDEN_LONG'] ? 300 : 60 },
  );
});

test('a page from which rows are deleted while it is read has others in their place', async () => {
  const database = await openDatabase(':memory:', 'crash');
  const history = openHistory(database);
  for (let at = 0; at < 100; at += 1) history.save(recordOf(at));
  const times: number[] = [];
  for await (const { receivedAt } of history.page({ agent: '', since: undefined, decision: '', limit: 60 })) {
    if (times.length === 0)
      await database.deleteFrom('executions').where('received_at', 'in', [45, 44, 43, 42, 41, 40]).execute();
    times.push(receivedAt);
  }
  expect(times).toEqual([...times].toSorted((one, other) => other - one));
  expect([times.length, times[0], times[53], times[54], times[59]]).toEqual([60, 99, 46, 39, 34]);
  await history.close();
});

test('A-533 P20: of the pages and searches of many readers one piece is worked on in each turn', async () => {
  const database = await openDatabase(':memory:', 'crash');
  let queries = 0;
  const counts: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      queries += 1;
      return result;
    },
  };
  const history = openHistory(database.withPlugin(counts));
  for (let at = 0; at < 1_000; at += 1) history.save(recordOf(at, { argv: ['npm', 'ci'] }));
  const search = { q: 'npm', decision: '', tool: '', agent: '', since: undefined, limit: 1_000 };
  const page = { agent: '', since: undefined, decision: '', limit: 1_000 };
  expect(await Array.fromAsync(history.page(page))).toHaveLength(1_000);
  const reading = Promise.all([
    ...Array.from({ length: 20 }, () => Array.fromAsync(history.page(page))),
    ...Array.from({ length: 20 }, () => history.search(search)),
  ]);
  let isOver = false;
  void reading.then(() => (isOver = true));
  const inTurns: number[] = [];
  // Each has begun by then.
  for (await turn(); !isOver; ) {
    const before = queries;
    await turn();
    inTurns.push(queries - before);
  }
  // A page has 20 pieces of 50 rows, and a search 4 of 250.
  expect(inTurns.length).toBeGreaterThan(20 * 20 + 20 * 4 - 40);
  expect(Math.max(...inTurns)).toBeLessThanOrEqual(2);
  await history.close();
});

async function readAll(history: History, filter: HistoryFilter): Promise<string[]> {
  const ids: string[] = [];
  let behind: HistoryFilter['behind'];
  for (;;) {
    const page = await Array.fromAsync(history.page({ ...filter, ...(behind && { behind }) }));
    ids.push(...page.map(({ record }) => record.id));
    behind = page.at(-1);
    if (page.length < filter.limit) return ids;
  }
}

test.each(['0199', '01993f5e-7c1b-7d80-8a3e-4c9d1e2f3a4b'])(
  'A-406: to find %s the database goes through ids, and through no rows of an agent',
  async (id) => {
    const plans = await plansOf(async (database) => {
      const history = openHistory(database);
      for (const [caller, agents] of [
        ['', ['a']],
        ['', ['a', 'b']],
        [''],
        ['relay:r'],
        ['relay:r', ['a']],
      ] as const)
        await history.find(id, caller, agents);
    });
    expect(plans.length).toBe(id.length === 36 ? 5 : 10);
    for (const plan of plans)
      expect(plan).toMatch(/^SEARCH executions USING INDEX \w+ \((caller=\? AND )?id[=>]/);
  },
);

test('A-406: of what many ids begin with none is found for few agents; a longer beginning is', async () => {
  const history = openHistory(await openDatabase(':memory:', 'crash'));
  for (let at = 0; at < 2_500; at += 1) {
    const id = `0199${at.toString().padStart(32, '0')}`;
    history.save(recordOf(at, { id, agent: at === 2_400 ? 'mine' : 'other' }));
  }
  const mine = `0199${'2400'.padStart(32, '0')}`;
  const find = async (id: string, agents?: string[]) => (await history.find(id, '', agents))?.agent;
  expect(await find('0199', ['mine'])).toBeUndefined();
  expect(await find(mine.slice(0, 34), ['mine'])).toBe('mine');
  expect(await find(mine.slice(0, 34))).toBeUndefined();
  expect(await find(mine, ['mine'])).toBe('mine');
  expect(await find(mine)).toBe('mine');
  expect(await find(mine, ['other'])).toBeUndefined();
  await history.close();
});

test('A-408: rows that a search has found are looked up by their numbers, for few agents, too', async () => {
  const search = { q: 'npm', decision: 'deny', tool: 'npm', since: undefined, limit: 10 };
  const plans = await plansOf(async (database) => {
    const history = openHistory(database);
    for (const agent of ['a', 'b'])
      history.save(recordOf(agent.charCodeAt(0), { agent, argv: ['npm', 'ci'] }));
    await history.search({ ...search, agent: 'a' });
    await history.search({ ...search, agent: '', agents: ['a', 'b'] });
  });
  const looked = plans.filter((plan) => plan.includes('json_each') && plan.includes(' executions '));
  expect(looked).toHaveLength(2);
  for (const plan of looked) expect(plan).toContain(byNumber);
});

test("A-409: earlier answers are looked for among those of the question's agent, the newest first", async () => {
  const plans = await plansOf((database) =>
    createApprovalStore(database).answers({ agent: 'a', planHash: 'h', deed: 'd' }, 5),
  );
  expect(plans).toEqual([
    'SEARCH approvals USING INDEX approvals_by_plan (agent=? AND plan_hash=?)',
    'SEARCH approvals USING INDEX approvals_by_deed (agent=? AND deed=?)',
  ]);
});
