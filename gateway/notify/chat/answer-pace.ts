import { keyedBuckets } from '../../../src/keyed-buckets.ts';
import { type TokenBucket, tokenBucket } from '../../../src/token-bucket.ts';
import type { ChatRoom } from './chat-room.ts';

/** What an order of somebody gets: an answer, a word that there are too many, or nothing. */
export type AnswerPace = (
  user: string,
  room: ChatRoom,
  mayOrder: boolean,
) => 'answer' | 'too-fast' | 'nothing';

/** Of one person, and once in ten seconds then: the service counts answers, and questions need its messages. */
const atOnce = 6;
const mostPeople = 1000;
/** Of all people in a chat beside those, and once in ten seconds then, too: a group has twenty messages a minute for all. */
const inRoomAtOnce = 10;

export function createAnswerPace(): AnswerPace {
  const onceAMinute = () => keyedBuckets(mostPeople, () => tokenBucket(1 / 60, undefined, 1));
  // Of nobody else's: a person who wrote none for a minute may have to stop an agent.
  const firsts = onceAMinute();
  const answers = keyedBuckets(mostPeople, () => tokenBucket(0.1, undefined, atOnce));
  const warnings = onceAMinute();
  const rooms = new WeakMap<ChatRoom, TokenBucket>();

  function isRoom(room: ChatRoom): boolean {
    const rate = rooms.get(room) ?? tokenBucket(0.1, undefined, inRoomAtOnce);
    rooms.set(room, rate);
    return rate.take(1);
  }

  return (user, room, mayOrder) => {
    if (firsts(user).take(1)) return 'answer';
    if (!mayOrder) return 'nothing';
    if (answers(user).take(1) && isRoom(room)) return 'answer';
    return warnings(user).take(1) ? 'too-fast' : 'nothing';
  };
}
