import type { ApprovalView } from '../../../../../src/http-api/approvals.ts';
import { ApiError, type Client } from '../../../../../src/http-api/client.ts';
import { problemText } from '../../parts/problem-text.ts';
import type { Answered } from './answered.ts';
import { whoAnswered } from './who-answered.ts';

export interface Answer {
  readonly verdict: 'approve' | 'deny';
  readonly reason: string;
  readonly grantMinutes?: number;
}

/** What it needs of the dashboard. */
export interface VerdictParts {
  readonly client: () => Pick<Client, 'call'>;
  readonly notices: { readonly tell: (text: string, tone: 'good' | 'bad') => void };
  readonly session: { readonly principal: string };
}

const atOnce = 4;

/** Answers questions one by one, tells what went wrong, and says what became of them. */
export function createVerdicts({ client, notices, session }: VerdictParts, over: AbortSignal) {
  const say = async (question: ApprovalView, { verdict, reason, grantMinutes }: Answer) => {
    const { id, planHash } = question;
    const body = { planHash, verdict, reason, ...(grantMinutes !== undefined && { grantMinutes }) };
    try {
      const { missing } = await client().call('verdict', { params: { id }, body });
      const isNoted = verdict === 'approve' && missing > 0;
      if (isNoted)
        notices.tell(`Your yes counts. ${missing} more ${missing === 1 ? 'is' : 'are'} needed.`, 'good');
      return { counted: 1, noted: Number(isNoted) };
    } catch (error) {
      const text = isLate(error) ? await whoAnswered(client(), question, session.principal, over) : '';
      notices.tell(text === '' ? problemText(error) : `Your answer came too late: ${text}.`, 'bad');
      return { counted: 0, noted: 0 };
    }
  };
  return async (questions: readonly ApprovalView[], answer: Answer): Promise<Answered> => {
    let [counted, noted] = [0, 0];
    for (let at = 0; at < questions.length; at += atOnce) {
      const some = questions.slice(at, at + atOnce).map((question) => say(question, answer));
      for (const one of await Promise.all(some)) {
        counted += one.counted;
        noted += one.noted;
      }
    }
    return { counted, noted };
  };
}

function isLate(error: unknown): boolean {
  return error instanceof ApiError && error.problem.status === 409 && error.problem.code === undefined;
}
