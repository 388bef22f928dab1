import type { ExecuteRequest } from '../../../src/gen/clawrden/v1/execution.ts';
import { type TokenBucket, tokenBucket } from '../../../src/token-bucket.ts';
import { type Principal, principalName } from '../../ports/principal.ts';

type Message = NonNullable<ExecuteRequest['message']>;

/** For how many milliseconds nothing more is read from a stream that brought this message. */
export type WaitAfter = (message: Message) => number;

/** What the running commands of one agent may send, over all streams of one caller. */
export interface MessageBudgets {
  readonly of: (caller: Principal, agent: string) => WaitAfter;
}

/** A relay joins what it can: keys, signals and windows of 50 commands are some hundreds of messages. */
export const messagesPerSecond = 5000;
/** For larger messages the bytes count: stdin has its credit, and the output of a mirrored command its window. */
const crumbBytes = 4096;
/** The gateway notices the end of a stream only when it reads. */
const mostWaitMs = 5000;
/** The agent that the caller of a stream names, until it is checked. */
const mostBudgets = 10_000;

export function createMessageBudgets(): MessageBudgets {
  const buckets = new Map<string, TokenBucket>();

  function bucketOf(key: string): TokenBucket {
    const known = buckets.get(key);
    if (known !== undefined) return known;
    if (buckets.size >= mostBudgets) buckets.clear();
    const bucket = tokenBucket(messagesPerSecond);
    buckets.set(key, bucket);
    return bucket;
  }

  return {
    of: (caller, agent) => {
      const bucket = bucketOf(`${principalName(caller)} ${agent}`);
      return (message) => {
        if (!isCrumb(message)) return 0;
        bucket.owe(1);
        return Math.min(mostWaitMs, bucket.waitMs());
      };
    },
  };
}

function isCrumb(message: Message): boolean {
  const isData = message.$case === 'stdin' || message.$case === 'stdout' || message.$case === 'stderr';
  return !isData || message.value.length < crumbBytes;
}
