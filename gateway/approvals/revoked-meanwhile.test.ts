import { expect, test } from 'vitest';
import type { Approvers } from '../ports/approvers.ts';
import { openDatabase } from '../store/database.ts';
import { createApprovalStore } from './approval-store.ts';
import { createApprovals } from './approvals.ts';
import { openGrants } from './grants.ts';

const audit = { append: async () => {}, unkept: () => {} };
const question = {
  ...{ executionId: 'e', caller: 'relay:host-1', agent: 'coder', planHash: 'h', rule: 'r', reason: '' },
  plan: JSON.stringify({ agent: 'coder', argv: ['ls'], cwd: '/app', stdin: 'pipe' }),
  ...{ context: '{}', expiresInMs: 60_000, consent: { approvals: 2, role: 'approver' } as const },
};
const yes = (name: string) =>
  ({ verdict: 'approved', by: `person:${name}`, via: 'cli', reason: '', planHash: 'h' }) as const;

test.each(['the provider', 'a yes before it'])(
  'A-414 P10: a yes that waits for %s does not count if its giver is revoked meanwhile',
  async (what) => {
    const database = await openDatabase(':memory:', 'crash');
    const over = Promise.withResolvers<void>();
    let epoch = 0;
    const approvers: Approvers = {
      rightOf: (principal) => ({ role: 'admin', stamp: `1/${principal === 'person:ann' ? epoch : 0}` }),
      personOf: (principal) => principal,
      freshen: async (principals) => {
        if (what === 'the provider' && principals.includes('person:ann')) await over.promise;
      },
    };
    const grants = await openGrants(database, audit, approvers);
    const store = createApprovalStore(database);
    const record = async () => {
      if (what !== 'the provider') await over.promise;
    };
    const approvals = createApprovals({ store, grants, approvers, record, pendingPerAgent: 9 });
    const { id } = (await approvals.ask(question)).approval;
    const first = approvals.resolve(id, yes('bob'));
    if (what === 'the provider') await first;
    const second = approvals.resolve(id, yes('ann'));
    epoch += 1;
    over.resolve();
    expect((await first).type).toBe('noted');
    expect((await second).type).toBe('not-approver');
    expect(approvals.pending()).toMatchObject([{ missing: 1 }]);
    // What she may do since then she may say.
    expect((await approvals.resolve(id, yes('ann'))).type).toBe('resolved');
    await database.destroy();
  },
);
