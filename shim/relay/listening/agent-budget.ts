import { setTimeout as sleep } from 'node:timers/promises';
import type { RequestLimits } from '../../../src/config/relay-config.ts';
import { ClawrdenError } from '../../../src/errors.ts';
import { valueWeight } from '../../../src/request-weight.ts';
import { tokenBucket } from '../../../src/token-bucket.ts';
import { type Frame, FrameType } from '../../../src/wire/frames.ts';
import type { ParseTurn } from './parse-turns.ts';

/** What one agent's clients may have this relay do in a second, all together. */
export interface AgentBudget {
  /** Before the body of a request is read: throws `rate-limit` where it is one too many. */
  readonly takeRequest: (bytes: number) => void;
  /** What has been read of a request turned out to have so many values. */
  readonly oweValues: (count: number) => void;
  /** Resolves when a request of so many bytes that was taken and is here may be read. */
  readonly turn: (bytes: number) => Promise<void>;
  /** How long nothing more is to be read from a client that sent these frames, in milliseconds. */
  readonly waitAfter: (frames: readonly Frame[]) => number;
}

/** Far more than keys, windows and signals make; for stdin the credit is the measure, unless it comes in crumbs. */
const framesPerSecond = 20_000;
const crumbBytes = 4096;
/** A loop in a shell is slowed down before anything of it is refused. */
const mostLateMs = 1000;
/** A client that hangs up is noticed when it is read from. */
const mostWaitMs = 5000;

export function createAgentBudget(
  agent: string,
  { requestsPerSecond, bytesPerSecond }: RequestLimits,
  turn: ParseTurn,
): AgentBudget {
  const requests = tokenBucket(requestsPerSecond);
  const bytes = tokenBucket(bytesPerSecond);
  const frames = tokenBucket(framesPerSecond);
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
    waitAfter: (read) => {
      frames.owe(read.filter(isCharged).length);
      return Math.min(mostWaitMs, frames.waitMs());
    },
  };
}

function isCharged({ type, payload }: Frame): boolean {
  return type !== FrameType.stdin || payload.length < crumbBytes;
}

function tooMuch(what: string): ClawrdenError {
  return new ClawrdenError('rate-limit', `${what}; wait and try again`);
}
