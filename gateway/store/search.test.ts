import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lineHolds } from '../../src/line-search.ts';
import type { ExecutionRecord, HistorySearch } from '../ports/execution-record.ts';
import { type Database, openDatabase } from './database.ts';
import { type History, openHistory } from './history.ts';

async function open(): Promise<{ database: Database; history: History }> {
  const database = await openDatabase(':memory:', 'crash');
  return { database, history: openHistory(database) };
}

function recordOf(number: number, change: Partial<ExecutionRecord>): ExecutionRecord {
  return {
    ...{ id: `e${number}`, caller: 'relay:r', agent: 'coder', argv: ['ls'], cwd: '/app', state: 'ended' },
    ...{ decision: 'allow', rule: 'r', decisionReason: '', strategy: 'ghost', host: '', container: '' },
    ...{ planHash: '', plan: '', approvalId: '', approver: '', outcome: '', reason: '', text: '' },
    ...{ uid: 0, gid: 0, exitCode: 0, exitSignal: 0, stdoutBytes: 0, stderrBytes: 0, operands: '' },
    ...{ receivedAt: number, decidedAt: undefined, startedAt: undefined, endedAt: number },
    ...change,
  };
}

const plain = { agent: '', decision: '', since: undefined, limit: 100 };

/** All that is found, page by page, and in how many pages. */
async function findAll(history: History, search: Partial<HistorySearch> & { q: string }) {
  const ids: string[] = [];
  let [below, pages] = [undefined as number | undefined, 0];
  do {
    const found = await history.search({ ...plain, ...search, ...(below !== undefined && { below }) });
    ids.push(...found.rows.map(({ record }) => record.id));
    [below, pages] = [found.below, pages + 1];
  } while (below !== undefined);
  return { ids, pages };
}

const word = fc.oneof(
  fc.constantFrom(
    'npm',
    'install',
    'express',
    'NPM',
    'ab',
    'abc',
    'aaaa',
    '"',
    "''",
    '*',
    '-x',
    'ÄÖ',
    'äö',
    '%',
    '_',
  ),
  fc.string({ maxLength: 6 }).filter((text) => !text.includes('\0')),
  fc.string({ unit: 'binary', maxLength: 4 }).filter((text) => !text.includes('\0')),
);
const command = fc.record({
  agent: fc.constantFrom('web', 'web-web', 'we', ''),
  argv: fc.array(word, { minLength: 1, maxLength: 5 }),
  decision: fc.constantFrom<'allow' | 'deny'>('allow', 'deny'),
});
const numRuns = process.env['CLAWRDEN_LONG'] ? 300 : 60;

test('a search finds what has the text, of those agents, that tool and that decision, and nothing else', async () => {
  const wish = fc.record(
    {
      agents: fc.subarray(['web', 'web-web', 'we', 'nobody']),
      agent: fc.constantFrom('web', 'we', ''),
      tool: fc.constantFrom('npm', 'ab'),
      decision: fc.constantFrom('allow', 'deny'),
      since: fc.nat(20),
      until: fc.nat(20),
    },
    { requiredKeys: [] },
  );
  const where = fc.tuple(fc.nat(), fc.nat(), fc.nat());
  await fc.assert(
    fc.asyncProperty(
      fc.array(command, { minLength: 1, maxLength: 20 }),
      wish,
      where,
      async (all, by, [n, at, long]) => {
        const { history } = await open();
        const records = all.map((each, index) => recordOf(index, each));
        for (const record of records) history.save(record);
        const characters = Array.from(records[n % records.length]?.argv.join(' ') ?? '');
        const from = at % characters.length;
        const q = characters.slice(from, from + 3 + (long % 20)).join('');
        fc.pre(Array.from(q).length >= 3);
        const expected = records.filter(
          ({ agent, argv, decision, receivedAt }) =>
            lineHolds(argv, q) &&
            (by.agents?.includes(agent) ?? true) &&
            (!by.agent || agent === by.agent) &&
            (by.tool === undefined || argv[0] === by.tool) &&
            (by.decision === undefined || decision === by.decision) &&
            receivedAt >= (by.since ?? 0) &&
            receivedAt < (by.until ?? 100),
        );
        expect((await findAll(history, { ...by, q, limit: 3 })).ids).toEqual(
          expected.map(({ id }) => id).toReversed(),
        );
        await history.close();
      },
    ),
    { numRuns },
  );
});

test('A-116: a page looks at a bounded number of lines, and of lines of other agents at none', async () => {
  const { database, history } = await open();
  for (let at = 0; at < 9_000; at += 1) {
    const mine = at % 3_000 === 0;
    history.save(
      recordOf(at, { agent: mine ? 'web' : 'db', argv: ['npm', 'install', mine ? 'x' : `y${at}`] }),
    );
  }
  expect(await findAll(history, { q: 'npm install', agents: ['web'] })).toEqual({
    ids: ['e6000', 'e3000', 'e0'],
    pages: 1,
  });
  // What the index does not know is looked for in rows, some thousand for a page.
  const denied = await findAll(history, { q: 'npm install', decision: 'deny' });
  expect(denied).toEqual({ ids: [], pages: 5 });
  expect((await findAll(history, { q: 'npm install', since: 8_990 + 3_600_000 })).pages).toBe(1);
  await database.deleteFrom('executions').where('agent', '=', 'db').execute();
  expect((await findAll(history, { q: 'install y' })).ids).toEqual([]);
  expect((await findAll(history, { q: 'INSTALL X' })).ids).toEqual(['e6000', 'e3000', 'e0']);
  await history.close();
});

test('many agents, and a row that is written again, are found as one', async () => {
  const { history } = await open();
  const agents = Array.from({ length: 1_000 }, (_, at) => `agent-${at}`);
  for (const [at, agent] of agents.entries()) history.save(recordOf(at, { agent, argv: ['make', `t${at}`] }));
  for (const state of ['queued', 'running', 'ended'] as const)
    history.save(recordOf(5_000, { agent: 'agent-7', argv: ['make', 'all'], state }));
  expect((await findAll(history, { q: 'make all', agents })).ids).toEqual(['e5000']);
  expect((await findAll(history, { q: 'make t99', agents })).ids.length).toBe(11);
  expect((await findAll(history, { q: 'make t99', agents: [] })).ids).toEqual([]);
  await history.close();
});
