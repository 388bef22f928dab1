import { expect, test } from 'vitest';
import { ClawrdenError } from '../../src/errors.ts';
import { createApprovals, type Question } from './approvals.ts';

const question: Question = {
  executionId: 'e',
  agent: 'coder',
  planHash: 'h',
  plan: '{}',
  rule: 'r',
  reason: '',
  expiresInMs: 60_000,
};
const approved = { verdict: 'approved', by: 'operator:admin', reason: '' } as const;
const denied = { verdict: 'denied', by: 'operator:admin', reason: 'no' } as const;

test('A-42: of 50 approvals and 50 denials on one question exactly one counts', async () => {
  const approvals = createApprovals(10);
  const asked = approvals.ask(question);
  const answer = asked.verdict(new AbortController().signal);
  const verdicts = Array.from({ length: 100 }, (_, index) => (index % 2 ? approved : denied));
  const resolutions = verdicts.map((verdict) => approvals.resolve(asked.approval.id, verdict));
  expect(resolutions.filter(({ type }) => type === 'resolved')).toHaveLength(1);
  expect(await answer).toEqual(denied);
});

test('A-43: a second verdict, and one on a made-up id, change nothing', async () => {
  const approvals = createApprovals(10);
  const asked = approvals.ask(question);
  const answer = asked.verdict(new AbortController().signal);
  approvals.resolve(asked.approval.id, approved);
  expect(approvals.resolve(asked.approval.id, denied).type).toBe('already-resolved');
  expect(approvals.resolve('ffffffffff', approved).type).toBe('unknown');
  expect(await answer).toEqual(approved);
});

test('A-41: an expired question cannot be approved', async () => {
  const approvals = createApprovals(10);
  const asked = approvals.ask({ ...question, expiresInMs: 20 });
  await expect(asked.verdict(new AbortController().signal)).rejects.toMatchObject({
    code: 'approval-expired',
  });
  expect(approvals.resolve(asked.approval.id, approved).type).toBe('already-resolved');
});

test('A-45: a question whose requester is gone is void', async () => {
  const approvals = createApprovals(10);
  const gone = new AbortController();
  const asked = approvals.ask(question);
  const answer = asked.verdict(gone.signal);
  gone.abort(new ClawrdenError('requester-gone', 'the shim is gone'));
  await expect(answer).rejects.toMatchObject({ code: 'requester-gone' });
  expect(approvals.resolve(asked.approval.id, approved).type).toBe('already-resolved');
  expect(approvals.pending()).toEqual([]);
});

test('A-49: an agent that floods fills only its own share', () => {
  const approvals = createApprovals(2);
  approvals.ask(question);
  approvals.ask(question);
  expect(() => approvals.ask(question)).toThrow(expect.objectContaining({ code: 'pending-limit' }));
  expect(approvals.ask({ ...question, agent: 'other' }).approval.agent).toBe('other');
});

test('an id may be shortened while only one pending question begins with it', () => {
  const approvals = createApprovals(10);
  const { id } = approvals.ask(question).approval;
  expect(approvals.resolve(id.slice(0, 6), approved)).toMatchObject({ type: 'resolved', approval: { id } });
  approvals.ask(question);
  approvals.ask(question);
  expect(approvals.resolve('', approved).type).toBe('ambiguous');
});
