import type { NewsGroup } from '../../src/config/notify-config.ts';
import type { Plan } from '../../src/plan.ts';
import type { PendingApproval } from './verdict.ts';

/** What is told beyond the doors: to chats and webhooks. */
export type News = QuestionNews | EndedNews | StateNews;

interface Told {
  /** The same if it is told again after a crash. */
  readonly id: string;
  readonly at: number;
}

export interface QuestionNews extends Told {
  /**
   * It came; it waits still, for those who were told; it waits still, for `to`; who has said yes has changed, for those
   * who show it.
   */
  readonly event: 'question' | 'question-reminder' | 'question-escalated' | 'question-changed';
  readonly question: PendingApproval;
  /** Its plan for eyes that are not at our doors; made once, however many are told. */
  readonly masked: () => MaskedPlan;
  /** The one who is told, whatever else that one is told. */
  readonly to?: string;
}

export interface MaskedPlan {
  readonly plan: Plan;
  readonly isMasked: boolean;
}

/** A question that waits no more. */
export interface EndedNews extends Told {
  readonly event: 'question-ended';
  readonly question: EndedQuestion;
}

export interface EndedQuestion {
  readonly id: string;
  readonly executionId: string;
  readonly agent: string;
  readonly rule: string;
  readonly state: 'approved' | 'denied' | 'expired' | 'void';
  /** Who answered, over which surface; empty if nobody did. */
  readonly by: string;
  readonly via: string;
  readonly reason: string;
}

export interface StateNews extends Told {
  readonly event: 'agent-stopped' | 'lockdown' | 'host-down' | 'policy-refused' | 'audit-unwritable';
  /** The agent or host; empty if it is about everything. */
  readonly about: string;
  readonly by: string;
  readonly reason: string;
}

/** One who is told. */
export interface Notifier {
  readonly name: string;
  /** What it was told stays to be seen, and is changed when the question does. */
  readonly shows: boolean;
  /** Resolves when it will be told even if this gateway ends; waits for nobody outside. */
  readonly tell: (news: News) => Promise<void>;
  /** What a person should know: why it is not told now. */
  readonly problems: () => readonly string[];
  readonly close: () => Promise<void>;
}

export const groupOf: Readonly<Record<News['event'], NewsGroup>> = {
  question: 'questions',
  'question-reminder': 'questions',
  'question-escalated': 'questions',
  'question-changed': 'questions',
  'question-ended': 'questions',
  'agent-stopped': 'agents',
  lockdown: 'lockdown',
  'host-down': 'hosts',
  'policy-refused': 'policy',
  'audit-unwritable': 'audit',
};

/** Empty if it is about no agent. */
export function agentOf(news: News): string {
  if ('question' in news) return news.question.agent;
  return news.event === 'agent-stopped' ? news.about : '';
}
