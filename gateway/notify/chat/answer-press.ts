import type { Faults } from '../../../src/faults.ts';
import type { ApprovalStore } from '../../approvals/approval-store.ts';
import type { PendingApproval, Resolution } from '../../ports/verdict.ts';
import type { WardenApi } from '../../ports/warden-api.ts';
import { permit } from '../../principals/call-rules.ts';
import { type Seen, seenBy } from '../../principals/seen-by.ts';
import type { ChatPosts } from '../../store/chat-posts.ts';
import { type Button, isConfirm, readButton } from './button.ts';
import type { HaltOrders } from './halt-orders.ts';
import type { KeptQuestion } from './kept-post.ts';
import { type ChatPeople, type ChatUser, personOf } from './person-of.ts';

/** A button that somebody has pressed. */
export interface Press extends ChatUser {
  /** What gateway.yaml calls the chat of the message; it may have several names for one. */
  readonly chats: readonly string[];
  readonly data: string;
}

/** Takes an answer, or not; never rejects, and resolves with what who pressed is told: one line of ASCII, 200 characters at most. */
export type AnswerPress = (press: Press) => Promise<string>;

export interface AnswerParts {
  readonly warden: WardenApi;
  readonly approvals: Pick<ApprovalStore, 'find'>;
  readonly posts: Pick<ChatPosts, 'ofQuestion'>;
  readonly principals: ChatPeople;
  readonly orders: Pick<HaltOrders, 'confirm'>;
  readonly faults: Pick<Faults, 'report'>;
}

const call = 'WardenService/ResolveApproval';

/** Who presses is known by a link and by nothing that the chat says; the answer goes the way of every verdict. */
export function createAnswerPress(parts: AnswerParts): AnswerPress {
  return async (press) => {
    try {
      return (await answer(press, parts)).slice(0, 200);
    } catch (error) {
      parts.faults.report('chat', error);
      return 'Nothing was decided: the gateway could not take the answer.';
    }
  };
}

async function answer(press: Press, parts: AnswerParts): Promise<string> {
  const { via, chats, user, data } = press;
  if (isConfirm(data)) return await parts.orders.confirm(press);
  const button = readButton(data);
  if (button === undefined) return 'This is no button of this gateway.';
  const person = await personOf({ via, user }, parts.principals);
  if (person === undefined)
    return `You are not linked, so nothing was decided. An admin links you: clawrden users link NAME --${via} ${user}`;
  const permitted = permit(person, call);
  if ('refused' in permitted) return `Nothing was decided: ${permitted.refused}.`;
  const by = permitted.value;
  const seen = seenBy(parts.warden, by);
  const question = seen.warden.approvals().find(({ id }) => id === button.id);
  if (question === undefined) return await endedReply(button, seen, parts);
  const { id, planHash } = question;
  if (!(await wasShown(button, question, chats, parts)))
    return 'Nothing was decided: this chat shows no such button. Answer by the link of the message.';
  const said = { verdict: button.verdict, planHash, reason: '', via };
  const resolution = await seen.warden.resolveApproval(id, said, by);
  if (resolution.type === 'already-resolved') return await endedReply(button, seen, parts);
  return replyOf(resolution, button);
}

/** A chat gives only an answer that it offered: to this question, beside this plan. Two messages may show it. */
async function wasShown(
  button: Button,
  { id, planHash }: PendingApproval,
  chats: readonly string[],
  { posts }: AnswerParts,
): Promise<boolean> {
  const rows = await posts.ofQuestion(chats, id);
  // This program wrote them.
  const kept = rows.map(({ body }) => JSON.parse(body) as KeptQuestion);
  return kept.some(
    (each) => each.planHash === planHash && each.codes !== undefined && button.isOf(each.codes),
  );
}

async function endedReply({ id }: Button, { sees }: Seen, { approvals }: AnswerParts): Promise<string> {
  const row = await approvals.find(id);
  if (row === undefined || !sees.agent(row.agent))
    return 'Nothing was decided: there is no such question, or it is not of your agents.';
  const { state, verdict_by: by, verdict_via: via } = row;
  if (state === 'approved' || state === 'denied') return `It was ${state} before, by ${by} (${via}).`;
  if (state === 'expired') return 'Nothing was decided: the question has expired.';
  return 'Nothing was decided: nobody waits for this answer any more.';
}

function replyOf(resolution: Resolution, { verdict }: Button): string {
  if (resolution.type === 'noted') {
    const { missing } = resolution.approval;
    return `Your yes counts. ${missing} more ${missing === 1 ? 'person has' : 'people have'} to approve it.`;
  }
  if (!('approval' in resolution)) return `Nothing was decided: ${resolution.text}`;
  return verdict === 'approved' ? 'Approved: it runs once.' : 'Denied: it does not run.';
}
