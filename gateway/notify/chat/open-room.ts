import type { Logger } from 'pino';
import type { ServiceRefusal } from '../../../src/chats/call-service.ts';
import type { Faults } from '../../../src/faults.ts';
import type { News, Notifier } from '../../ports/notifier.ts';
import type { ChatPostRow } from '../../store/chat-post-rows.ts';
import type { ChatPosts } from '../../store/chat-posts.ts';
import { createTroubles, type Troubles } from '../troubles.ts';
import { backoff, giveUpMs, longestMs, startWork } from '../work-loop.ts';
import type { ChatRoom } from './chat-room.ts';
import { isOnlyHere, toEnd, toPost, withYeses } from './kept-post.ts';
import { showPosts } from './show-posts.ts';

export interface RoomParts {
  readonly name: string;
  readonly room: ChatRoom;
  readonly posts: ChatPosts;
  readonly link: (approval: string) => string;
  readonly faults: Faults;
  readonly log: Logger;
}

/** More questions than these that wait to be told are told in one message. */
const apartAtMost = 3;

/**
 * One chat. It is made to show what is on the disk, by one call after another: a question that ended before it was
 * posted is never posted, and one that came twice is shown once.
 */
export function openRoom(parts: RoomParts): Notifier {
  const { name, room, posts, faults, log } = parts;
  const troubles = createTroubles(`chat ${name}`, log);
  const [pace, turn] = [{ notBefore: 0 }, { last: '' }];
  const work = startWork('chat', (signal) => step(parts, { troubles, pace, turn, signal }), faults);
  return {
    ...{ name, shows: true },
    tell: async (news: News) => {
      if (news.event === 'question-changed')
        await posts.change(name, news.question.id, (body) => withYeses(body, news.question));
      const post = toPost(news, room.textAtMost);
      const dropped = post === undefined ? 0 : await posts.add(name, post);
      if (dropped > 0) troubles.lose(dropped, 'too many wait');
      if (news.event === 'question-ended')
        await posts.end(name, news.question.id, JSON.stringify(toEnd(news.question)));
      work.wake();
    },
    problems: troubles.problems,
    close: work.close,
  };
}

interface Stepping {
  readonly troubles: Troubles;
  /** On the monotonic clock. */
  readonly pace: { notBefore: number };
  /** Whose the last call was: agents take turns, so what one has waiting, others wait for one call of. */
  readonly turn: { last: string };
  readonly signal: AbortSignal;
}

/** One call; resolves with how long to wait for the next one. */
async function step(parts: RoomParts, { troubles, pace, turn, signal }: Stepping): Promise<number> {
  const { name, room, posts } = parts;
  const early = pace.notBefore - performance.now();
  if (early > 0) return early;
  const due = await posts.due(name, turn.last);
  const [first] = due;
  if (first === undefined) return (await untilNext(parts)) ?? longestMs;
  const untold = due.filter(({ message, ended }) => message === '' && ended !== '');
  if (untold.length > 0) {
    await posts.drop(untold);
    return 0;
  }
  turn.last = first.agent;
  const rows = first.message === '' ? together(due) : await posts.ofMessage(name, first.message);
  const message = showPosts(rows, { ...parts, textAtMost: room.textAtMost });
  const answer = await (first.message === ''
    ? room.post(message, signal)
    : room.edit(first.message, message, signal));
  if (signal.aborted && 'why' in answer) return 0;
  pace.notBefore = performance.now() + room.gapMs;
  if ('ref' in answer) {
    await posts.shown(rows, answer.ref);
    troubles.worked();
  } else await tryLater(rows, answer, { posts, troubles, pace });
  return 0;
}

async function untilNext({ posts, name }: RoomParts): Promise<number | undefined> {
  const at = await posts.nextAt(name);
  return at === undefined ? undefined : Math.max(at - posts.now(), 1);
}

/** What is told in one message with the first of them. Such a message has no buttons. */
function together(due: readonly ChatPostRow[]): readonly ChatPostRow[] {
  const [first] = due;
  const alike = due.filter(({ kind, message }) => kind === first?.kind && message === '');
  if (first?.kind === 'note') return alike;
  if (first === undefined || isOnlyHere(first)) return due.slice(0, 1);
  const rest = alike.filter((row) => !isOnlyHere(row));
  return rest.length > apartAtMost ? rest : rest.slice(0, 1);
}

async function tryLater(
  rows: readonly ChatPostRow[],
  { why, waitMs = 0 }: ServiceRefusal,
  { posts, troubles, pace }: Pick<RoomParts, 'posts'> & Pick<Stepping, 'troubles' | 'pace'>,
): Promise<void> {
  troubles.failed(why);
  // The service counts calls, not messages: nothing else is sent to this chat before.
  pace.notBefore = Math.max(pace.notBefore, performance.now() + Math.min(waitMs, giveUpMs));
  const now = posts.now();
  const old = rows.filter(({ due_since: since }) => now - since > giveUpMs);
  if (old.length > 0) {
    await posts.drop(old);
    troubles.lose(old.length, why);
  }
  const rest = rows.filter((row) => !old.includes(row));
  const tries = Math.max(...rest.map((row) => row.tries), 0);
  const notBeforeMs = pace.notBefore - performance.now();
  if (rest.length > 0) await posts.later(rest, now + Math.max(waitMs > 0 ? 0 : backoff(tries), notBeforeMs));
}
