import { afterEach, expect, test, vi } from 'vitest';
import { openDatabase } from '../store/database.ts';
import { createApprovalStore } from './approval-store.ts';

afterEach(() => vi.useRealTimers());

test('A-451 P26: an answer whose plan is forgotten is not taken up again after the clock was set back', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000 });
  const database = await openDatabase(':memory:', 'crash');
  const { insert, end, unfinished } = createApprovalStore(database);
  await insert({
    ...{
      id: 'a1',
      execution_id: 'e1',
      caller: 'relay:r',
      agent: 'coder',
      plan_hash: 'h',
      plan: '{"argv":[]}',
    },
    ...{ rule: 'r', reason: '', context: '{}', state: 'pending', deed: '', consent: '' },
    ...{ verdict_by: '', verdict_via: '', verdict_reason: '', verdict_stamps: '' },
    ...{ created_at: 1_000_000, expires_at: 1_600_000, resolved_at: null, used_at: null },
  });
  await end({ id: 'a1', planHash: 'h' }, { verdict: 'approved', by: 'person:ann', via: 'cli', reason: '' });
  expect(await unfinished()).toMatchObject([{ id: 'a1' }]);
  vi.setSystemTime(1_700_000);
  expect(await unfinished()).toEqual([]);
  vi.setSystemTime(1_100_000);
  expect(await unfinished()).toEqual([]);
  await database.destroy();
});
