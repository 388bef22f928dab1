import type { Plan } from '../../../src/plan.ts';
import type { Consent } from '../../../src/policy/policy.ts';
import { doorsOf } from '../../../src/policy/rules/consent.ts';
import { maskText } from '../../../src/text/mask-tokens.ts';
import {
  agentOf,
  type EndedQuestion,
  type News,
  type QuestionNews,
  type StateNews,
} from '../../ports/notifier.ts';
import type { PendingApproval } from '../../ports/verdict.ts';
import type { ChatPostRow } from '../../store/chat-post-rows.ts';
import type { NewChatPost } from '../../store/chat-posts.ts';
import { type ButtonCodes, newCodes } from './button.ts';
import { shortPlan } from './short-plan.ts';

/** What a chat keeps of a question, to show it as it is at any time. */
export interface KeptQuestion {
  readonly id: string;
  readonly escalated: boolean;
  readonly agent: string;
  readonly caller: string;
  readonly rule: string;
  readonly reason: string;
  readonly planHash: string;
  /** Masked, and no more of it than a message shows. */
  readonly plan: Plan;
  /** Characters that are not in it; a row from before has them all. */
  readonly left?: number;
  readonly isMasked: boolean;
  readonly consent: Consent;
  readonly expiresAt: number;
  /** Undefined in what a gateway before this one kept: no button of it counts. */
  readonly codes?: ButtonCodes;
  /** Whose yes counts so far; a row from before has none. */
  readonly yeses?: readonly string[];
}

export interface KeptNote {
  readonly title: string;
  /** Somebody else's words. */
  readonly words: string;
  /** Empty if it is about no question. */
  readonly approval: string;
}

export type KeptEnd = Pick<EndedQuestion, 'state' | 'by' | 'via' | 'reason'>;

/** Undefined for an end or a change: that is of what was posted before. `textAtMost`: what a message shows. */
export function toPost(news: News, textAtMost: number): NewChatPost | undefined {
  if (news.event === 'question-ended' || news.event === 'question-changed') return undefined;
  const { id } = news;
  const agent = agentOf(news);
  if ('question' in news && news.event !== 'question-reminder') {
    const body = JSON.stringify(toKept(news, textAtMost));
    return { id, agent, kind: 'question', approval: news.question.id, body };
  }
  const note = 'question' in news ? reminder(news.question) : stateNote(news);
  return { id, agent, kind: 'note', approval: note.approval, body: JSON.stringify(note) };
}

function toKept({ event, question, masked }: QuestionNews, textAtMost: number): KeptQuestion {
  const { id, agent, caller, rule, reason, planHash, consent, expiresAt } = question;
  const { plan: whole, isMasked } = masked();
  const { shown: plan, left } = shortPlan(whole, textAtMost);
  const escalated = event === 'question-escalated';
  const of = { id, escalated, agent, caller, rule, reason };
  const said = { ...of, planHash, plan, left, isMasked, consent, expiresAt };
  return { ...said, yeses: yesesOf(question), codes: newCodes() };
}

/** A question that no other door answers needs its buttons. */
export function isOnlyHere({ body }: Pick<ChatPostRow, 'body'>): boolean {
  const { consent } = JSON.parse(body) as KeptQuestion;
  return doorsOf(consent).every((door) => door === 'chat');
}

/** The question that is kept, with those who have said yes by now. */
export function withYeses(body: string, question: PendingApproval): string {
  const kept = JSON.parse(body) as KeptQuestion;
  return JSON.stringify({ ...kept, yeses: yesesOf(question) });
}

function yesesOf({ yeses }: PendingApproval): string[] {
  return yeses.filter(({ counts }) => counts).map(({ by }) => by);
}

function reminder({ id, agent }: { readonly id: string; readonly agent: string }): KeptNote {
  return { title: `Nobody has answered yet: a command of ${agent} waits`, words: '', approval: id };
}

function stateNote(news: StateNews): KeptNote {
  const { event, about, by, reason } = news;
  const titles: Record<typeof event, string> = {
    'agent-stopped': `The agent ${agentOf(news)} is stopped by ${by}`,
    lockdown: 'Lockdown: every agent is stopped',
    'host-down': `The Docker host ${about} is down`,
    'policy-refused': 'A changed policy is refused; the last good one stays in force',
    'audit-unwritable': 'The audit cannot be written: nothing new starts',
  };
  return { title: titles[event], words: maskText(reason), approval: '' };
}

export function toEnd({ state, by, via, reason }: EndedQuestion): KeptEnd {
  return { state, by, via, reason: maskText(reason) };
}
