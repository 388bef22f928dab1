import { expect, test } from 'vitest';
import type { ApprovalView } from '../../../../../src/http-api/approvals.ts';
import { answeredText } from './answered.ts';
import { createVerdicts, type VerdictParts } from './give-verdicts.ts';

const question = (missing: number) => ({ id: `${missing}`, planHash: 'h' }) as ApprovalView;

/** Answers each question with how many more must say yes: its id. */
function verdicts(told: string[]) {
  const client = {
    call: async (_name: string, { params }: { params: { id: string } }) => ({ missing: +params.id }),
  };
  const notices = { tell: (text: string) => void told.push(text) };
  const dashboard = { client: () => client, notices, session: { principal: 'person:ann' } };
  return createVerdicts(dashboard as unknown as VerdictParts, new AbortController().signal);
}

test('A-415: answers that are given together say how many are approved, and how many need more people', async () => {
  const told: string[] = [];
  const answer = verdicts(told);
  const yes = { verdict: 'approve', reason: '' } as const;
  const some = await answer([question(0), question(1), question(2)], yes);
  expect(some).toEqual({ counted: 3, noted: 2 });
  expect(told).toEqual(['Your yes counts. 1 more is needed.', 'Your yes counts. 2 more are needed.']);
  expect(answeredText('approve', 3, some)).toBe('3 of 3 answered; 2 need the yes of more people.');
  const all = await answer([question(0), question(0)], yes);
  expect(answeredText('approve', 3, all)).toBe('2 of 3 approved.');
  const no = await answer([question(1)], { verdict: 'deny', reason: '' });
  expect(answeredText('deny', 1, no)).toBe('1 of 1 denied.');
});
