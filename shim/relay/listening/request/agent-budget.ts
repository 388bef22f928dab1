import { setTimeout as sleep } from 'node:timers/promises';
import type { RequestLimits } from '../../../../src/config/relay-config.ts';
import { type CrumbPace, crumbBytes, crumbPace, relayedPerSecond } from '../../../../src/crumb-budgets.ts';
import { ClawrdenError } from '../../../../src/errors.ts';
import { valueWeight } from '../../../../src/request-weight.ts';
import { tokenBucket } from '../../../../src/token-bucket.ts';
import { type Frame, FrameType } from '../../../../src/wire/frames.ts';
import type { ParseTurn } from './parse-turns.ts';

/** What all clients of one agent together may ask of this relay in a second. */
export interface AgentBudget {
  /** Called before the body of a request is read; throws `rate-limit` if there are too many requests. */
  readonly takeRequest: (bytes: number) => void;
  /** Charges the values that a request turned out to have. */
  readonly oweValues: (count: number) => void;
  /** Resolves when a received request of so many bytes may be parsed. */
  readonly turn: (bytes: number) => Promise<void>;
  /** Charges these frames of a client. For so many milliseconds they wait, and nothing more is read from it. */
  readonly waitBefore: (frames: readonly Frame[]) => number;
  /** The same for small frames of the inits that run its commands here, and for what is said of these. */
  readonly pace: CrumbPace;
}

/** A loop in a shell is slowed down before any of its requests is refused. */
const mostLateMs = 1000;
/** The relay notices that a client hung up only when it reads. */
const mostWaitMs = 5000;

export function createAgentBudget(
  agent: string,
  { requestsPerSecond, bytesPerSecond }: RequestLimits,
  turn: ParseTurn,
): AgentBudget {
  const requests = tokenBucket(requestsPerSecond);
  const bytes = tokenBucket(bytesPerSecond);
  // One for all: the gateway has one for the agent, too.
  const pace = crumbPace(relayedPerSecond);
  return {
    takeRequest: (size) => {
      if (requests.waitMs() > mostLateMs)
        throw tooMuch(`${agent} asks for more than ${requestsPerSecond} commands a second`);
      if (!bytes.take(size)) throw tooMuch(`${agent} asks with more than ${bytesPerSecond} bytes a second`);
      requests.owe(1);
    },
    turn: async (size) => {
      const lateMs = requests.waitMs();
      if (lateMs > 0) await sleep(lateMs);
      await turn(size);
    },
    oweValues: (count) => bytes.owe(count * valueWeight),
    waitBefore: (read) => Math.min(mostWaitMs, pace(read.filter(isCharged).length)),
    pace,
  };
}

function isCharged({ type, payload }: Frame): boolean {
  return type !== FrameType.stdin || payload.length < crumbBytes;
}

function tooMuch(what: string): ClawrdenError {
  return new ClawrdenError('rate-limit', `${what}; wait and try again`);
}
