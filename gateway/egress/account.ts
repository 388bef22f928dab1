import { setTimeout as sleep } from 'node:timers/promises';
import { deadline } from '../../src/abort.ts';
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
  /**
   * Waits for its place, 30 s at most; false if it got none, or if as many wait as may be open. The caller calls `leave`
   * when its connection is over. Rejects with the signal's reason.
   */
  readonly enter: (signal: AbortSignal) => Promise<boolean>;
  readonly leave: () => void;
  /** Waits until one more may be recorded, whether it is served or gone by then. */
  readonly pace: (signal: AbortSignal) => Promise<void>;
  /** Throws `limit` if that is too much. */
  readonly spend: (direction: Direction, bytes: number) => void;
  /** How many did not get in since the last call. */
  readonly takeTurnedAway: () => number;
}

const mostConnections = 64;
/** Its client has had its answer while the last one is recorded, and begins the next. */
const placeWithinMs = 30_000;
/** Says which of the two ended the wait. */
const late = new Error('no place in time');

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
    enter: async (signal) => {
      if (gate.tryEnter()) return true;
      const isFull = gate.load >= 2 * connections;
      const isIn = !isFull && (await entered(gate, signal));
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

/** False if it was too late. */
async function entered(gate: Gate, signal: AbortSignal): Promise<boolean> {
  using place = deadline(placeWithinMs, () => late, signal);
  try {
    await gate.enter(place.signal);
    return true;
  } catch (error) {
    if (error === late) return false;
    throw error;
  }
}
