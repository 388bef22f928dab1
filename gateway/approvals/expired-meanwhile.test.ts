import { expect, test } from 'vitest';
import type { Approvers } from '../ports/approvers.ts';
import { openDatabase } from '../store/database.ts';
import { createApprovalStore } from './approval-store.ts';
import { createApprovals } from './approvals.ts';
import { openGrants } from './grants.ts';

const audit = { append: async () => {}, unkept: () => {} };
const full = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
const yes = { verdict: 'approved', by: 'person:ann', via: 'cli', reason: '', planHash: 'h' } as const;

test.each([
  ['its provider', 1],
  ['the audit', 2],
])(
  'A-527 P10: a yes that waits for %s while its question expires on a full disk hears that, and starts nothing',
  async (what, approvals) => {
    const database = await openDatabase(':memory:', 'crash');
    const released = Promise.withResolvers<void>();
    const waits = (which: string) => async () => {
      if (what === which) await released.promise;
    };
    const approvers: Approvers = {
      rightOf: () => ({ role: 'admin', stamp: '1/0' }),
      personOf: (principal) => principal,
      freshen: waits('its provider'),
    };
    const grants = await openGrants(database, audit, approvers);
    const onDisk = createApprovalStore(database);
    let isFull = false;
    const store: typeof onDisk = {
      ...onDisk,
      end: async (...ending) => {
        if (isFull) throw full;
        return await onDisk.end(...ending);
      },
    };
    const parts = { store, grants, approvers, record: waits('the audit'), pendingPerAgent: 9 };
    const questions = createApprovals(parts);
    const question = await questions.ask({
      ...{ executionId: 'e', caller: 'relay:host-1', agent: 'coder', planHash: 'h', rule: 'r', reason: '' },
      plan: JSON.stringify({ agent: 'coder', argv: ['ls'], cwd: '/app', stdin: 'pipe' }),
      ...{ context: '{}', expiresInMs: 100, consent: { approvals, role: 'approver' } as const },
    });
    const { id } = question.approval;
    const answered = questions.resolve(id, yes);
    isFull = true;
    const never = new AbortController().signal;
    await expect(question.verdict(never)).rejects.toMatchObject({ code: 'approval-expired' });
    isFull = false;
    released.resolve();
    expect(await answered).toEqual({
      type: 'already-resolved',
      text: `approval ${id} waits no more: nobody answered in time`,
    });
    expect((await store.find(id))?.state).toBe('pending');
    expect((await store.yeses()).size).toBe(0);
    await database.destroy();
  },
);
