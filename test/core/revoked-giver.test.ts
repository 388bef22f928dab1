import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createExecute, createResume } from '../../gateway/execute.ts';
import { Vanished } from '../../gateway/ports/channel.ts';
import { restoreWaiting } from '../../gateway/restore.ts';
import { anyApprover } from '../fixtures/any-approver.ts';
import { openChannel, relay, request, startCore, type TestGateway } from './start-core.ts';

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'clawrden-core-'));
});

afterEach(() => rmSync(dir, { recursive: true }));

/** Each who says yes was revoked so often. */
function withRevoked(core: TestGateway, epoch: () => number): TestGateway {
  const rightOf = () => ({ role: 'admin', stamp: `1/${epoch()}` }) as const;
  return { ...core, authorizing: { ...core.authorizing, approvers: { ...anyApprover, rightOf } } };
}

const yes = { verdict: 'approved', by: 'person:bob', via: 'cli', reason: '' } as const;

test.each([
  ['stays', false, false],
  ['stays, over a restart', false, true],
  ['is revoked', true, false],
  ['is revoked, before a restart', true, true],
])(
  'A-535 P10: one yes is enough, the caller is away, and its giver %s',
  async (_what, isRevoked, isRestarted) => {
    let epoch = 0;
    const first = await startCore(dir);
    const start = request('ask');
    const channel = openChannel();
    const core = withRevoked(first, () => epoch);
    void createExecute(core)(relay, start, channel);
    await vi.waitUntil(() => core.approvals.pending().length === 1);
    const { id = '', planHash = '' } = core.approvals.pending()[0] ?? {};
    channel.leave(new Vanished());
    expect(await core.approvals.resolve(id, { ...yes, planHash })).toMatchObject({ type: 'resolved' });
    if (isRevoked) epoch += 1;
    if (isRestarted) await first[Symbol.asyncDispose]();
    await using next = isRestarted ? await startCore(dir) : first;
    const then = isRestarted ? withRevoked(next, () => epoch) : core;
    if (isRestarted) expect(await restoreWaiting(then, then.approvals, then.records)).toBe(1);
    const resumed = createResume(then.ledger)(
      relay,
      { executionId: start.executionId, planHash },
      openChannel(),
    );
    const [outcome, ran] = isRevoked
      ? [{ kind: 'denied', reason: 'policy-changed', text: expect.stringContaining('person:bob') }, []]
      : [{ kind: 'exited' }, ['ask']];
    expect(await resumed).toMatchObject(outcome);
    expect(then.ran).toEqual(ran);
  },
);
