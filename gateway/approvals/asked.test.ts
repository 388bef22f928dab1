import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { ClawrdenError } from '../../src/errors.ts';
import { openDatabase } from '../store/database.ts';
import { createApprovalStore } from './approval-store.ts';
import { asked } from './asked.ts';
import { newRow, toPending } from './question-row.ts';

test('A-518: a question that ends while the disk is full ends for its reason; the next start finds it', async () => {
  const database = await openDatabase(':memory:', 'power-loss');
  const store = createApprovalStore(database);
  const plan = JSON.stringify({ agent: 'coder', argv: ['ls'], cwd: '/app', stdin: 'pipe' });
  const ids = { executionId: 'e', caller: 'relay:host-1', agent: 'coder', planHash: 'h' };
  const row = newRow({ ...ids, plan, rule: 'r', reason: '', context: '{}', expiresInMs: 60_000 });
  await store.insert(row);
  await sql`pragma max_page_count = 1`.execute(database);
  let isForgotten = false;
  const nothing = () => {};
  const ends = {
    awaited: nothing,
    recorded: nothing,
    over: nothing,
    forget: () => void (isForgotten = true),
  };
  const question = asked({ ...ends, approval: toPending(row), answer: new Promise(() => {}) }, store);
  // Too long for the page of its row.
  const canceled = new ClawrdenError('canceled', 'c'.repeat(100_000));
  await expect(question.verdict(AbortSignal.abort(canceled))).rejects.toBe(canceled);
  expect(isForgotten).toBe(true);
  expect(await store.unfinished()).toMatchObject([{ id: row.id, state: 'pending' }]);
  await database.destroy();
});
