import type { KyselyPlugin } from 'kysely';
import { expect, test } from 'vitest';
import type { ExecutionRecord, ExecutionSummary } from '../ports/execution-record.ts';
import type { Seen } from '../principals/seen-by.ts';
import { openDatabase } from '../store/database.ts';
import { openHistory } from '../store/history.ts';
import { createLists } from './create-lists.ts';
import { createSeal } from './seal.ts';

const agents = Array.from({ length: 49 }, (_, at) => `agent-${at}`);
const [rowsOfEach, limit] = [30, 1000];

function recordOf(number: number): ExecutionRecord {
  return {
    ...{ id: `e${number}`, caller: 'relay:r', agent: agents[number % agents.length] ?? '', argv: ['ls'] },
    ...{ cwd: '/app', state: 'ended', decision: 'allow', rule: 'r', decisionReason: '', strategy: 'ghost' },
    ...{ planHash: '', plan: '', approvalId: '', approver: '', outcome: '', reason: '', text: '' },
    ...{
      host: '',
      container: '',
      uid: 0,
      gid: 0,
      exitCode: 0,
      exitSignal: 0,
      stdoutBytes: 0,
      stderrBytes: 0,
    },
    ...{ operands: '', receivedAt: number, decidedAt: undefined, startedAt: undefined, endedAt: number },
  };
}

/** The most that `use` asked the database for in one turn of the event loop, and in all. */
function countQueries() {
  const counted = { most: 0, all: 0 };
  let [inTurn, isOver] = [0, false];
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => {
      inTurn += 1;
      counted.all += 1;
      counted.most = Math.max(counted.most, inTurn);
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  const next = () => {
    inTurn = 0;
    if (!isOver) setImmediate(next);
  };
  const end = () => {
    isOver = true;
  };
  const begin = () => {
    Object.assign(counted, { most: 0, all: 0 });
    next();
  };
  return { counted, plugin, begin, end };
}

test('A-462 P20: a page of a thousand rows of many agents asks for each agent once, and for little in one turn', async () => {
  const { counted, plugin, begin, end } = countQueries();
  const database = await openDatabase(':memory:', 'crash');
  const history = openHistory(database.withPlugin(plugin));
  const count = agents.length * rowsOfEach;
  for (let number = 0; number < count; number += 1) history.save(recordOf(number));
  await history.unended();
  const shape = { toMessage: ({ id }: ExecutionSummary) => id, bytesOf: () => 1 };
  const lists = createLists({} as never, createSeal(), { execution: shape } as never);
  const seen = { warden: { history: (filter) => history.page({ ...filter, agents }) } } as Seen;
  const wish = { agent: '', since: undefined, decision: '', running: false, limit };
  begin();
  const first = await lists.executions({ ...wish, pageToken: '' }, seen);
  end();
  expect(counted.all).toBeLessThanOrEqual(agents.length + Math.ceil((limit + 1) / 50));
  expect(counted.most).toBeLessThan(10);
  const last = await lists.executions({ ...wish, pageToken: first.nextPageToken }, seen);
  expect(first.messages).toHaveLength(limit);
  expect(last.nextPageToken).toBe('');
  expect([...first.messages, ...last.messages]).toEqual(
    Array.from({ length: count }, (_, at) => `e${count - at - 1}`),
  );
  await history.close();
});
