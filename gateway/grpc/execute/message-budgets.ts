import type { ExecuteRequest } from '../../../src/gen/clawrden/v1/execution.ts';
import { type TokenBucket, tokenBucket } from '../../../src/token-bucket.ts';
import { type Caller, callerName } from '../../ports/caller.ts';

type Message = NonNullable<ExecuteRequest['message']>;

/** How long nothing more is to be read of a stream that brought this message, in milliseconds. */
export type WaitAfter = (message: Message) => number;

/** What one agent's running commands may send, over all the streams of one caller. */
export interface MessageBudgets {
  readonly of: (caller: Caller, agent: string) => WaitAfter;
}

/** A relay joins what it can: keys, signals and windows of 50 commands are some hundreds. */
export const messagesPerSecond = 5000;
/** Of a larger one the bytes are the measure: stdin has its credit, and the output of a mirrored command its window. */
const crumbBytes = 4096;
/** An end of the stream is noticed when it is read from. */
const mostWaitMs = 5000;
/** The agent of a stream is what its caller says, until it is checked. */
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
      const bucket = bucketOf(`${callerName(caller)} ${agent}`);
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
