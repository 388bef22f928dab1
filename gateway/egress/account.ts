import { setTimeout as sleep } from 'node:timers/promises';
import { EgressError } from '../../src/egress/egress-error.ts';
import { Gate } from '../../src/gate.ts';
import { tokenBucket } from '../../src/token-bucket.ts';

export type Direction = 'up' | 'down';

export interface AccountLimits {
  /** Bytes in all; absent: no limit. */
  readonly up?: number;
  readonly down?: number;
  /** Connections at once. */
  readonly connections?: number;
}

/** What the connections of one execution, or of one agent, use together. */
export interface Account {
  /** False if too many are open. The caller calls `leave` when its connection is over. */
  readonly enter: () => boolean;
  readonly leave: () => void;
  /** Waits until one more may be recorded, whether it is served or gone by then. */
  readonly pace: (signal: AbortSignal) => Promise<void>;
  /** Throws `limit` if that is too much. */
  readonly spend: (direction: Direction, bytes: number) => void;
  /** How many did not get in since the last call. */
  readonly takeTurnedAway: () => number;
}

const mostConnections = 64;
/** Four hundred bytes of the audit for each. */
const perSecond = 50;
const atOnce = 256;

export function openAccount(limits: AccountLimits): Account {
  const { connections = mostConnections } = limits;
  const gate = new Gate(() => connections);
  const bucket = tokenBucket(perSecond, undefined, atOnce);
  const spent = { up: 0, down: 0 };
  let turnedAway = 0;
  return {
    enter: () => {
      const isIn = gate.tryEnter();
      if (!isIn) turnedAway += 1;
      return isIn;
    },
    leave: () => gate.leave(),
    pace: async (signal) => {
      while (!bucket.take(1)) await sleep(bucket.waitMs(1), undefined, { signal });
    },
    spend: (direction, bytes) => {
      spent[direction] += bytes;
      const most = limits[direction];
      if (most === undefined || spent[direction] <= most) return;
      throw new EgressError('limit', `more than ${most} bytes ${direction}: egress-bytes of the policy`);
    },
    takeTurnedAway: () => {
      const count = turnedAway;
      turnedAway = 0;
      return count;
    },
  };
}
