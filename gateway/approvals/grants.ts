import { randomBytes } from 'node:crypto';
import type { AuditLog } from '../audit/audit-log.ts';
import type { GrantRecord } from '../audit/consent-records.ts';
import { loosen, tighten } from '../control/lasting-change.ts';
import type { Approvers } from '../ports/approvers.ts';
import type { Grant } from '../ports/grant.ts';
import { type Lifetime, lifetime, restOf } from '../principals/lifetime.ts';
import type { Database } from '../store/database.ts';
import { dropGrant, dropGrantsOfOthers, grantOfRow, keepGrant } from '../store/grants.ts';
import { joinNames } from './approver-names.ts';

/** Plans that an agent may run again for a while without a question, because people said so. */
export interface Grants {
  /** Empty, or why nothing more can be granted to the agent. */
  readonly whyFull: (agent: string) => string;
  /** On the disk and in the audit when it resolves; rejects, and gives nothing, if it cannot be. */
  readonly give: (given: Omit<Grant, 'id' | 'since' | 'until'>, forMs: number) => Promise<Grant>;
  /** Those in force of this plan of this agent, or of one that does the same by another policy. */
  readonly of: (agent: string, planHash: string, deed: string) => Grant[];
  /** Those in force, the oldest first. */
  readonly list: () => Grant[];
  /** From this call on it covers nothing; undefined if no such grant is in force. */
  readonly revoke: (id: string, by: string, reason: string) => Promise<Grant | undefined>;
  /** Ends those of every agent but these, as `revoke` does; what a principal asks for without an agent stays. */
  readonly endAllBut: (agents: Iterable<string>) => Promise<void>;
}

interface Held {
  readonly grant: Grant;
  /** On this process's monotonic clock too: if the wall clock is set back, no grant gets longer. */
  readonly life: Lifetime;
}

/** Each is a person's answer, so there are few; what comes behind so many is given once only. */
const grantsAtMost = 10_000;
/** One agent, with somebody who says yes to it alone, takes no other's place. */
export const grantsPerAgent = 200;
/** A timer may come early by a moment. */
const lateMs = 10;
const longestTimerMs = 2 ** 31 - 1;

export async function openGrants(
  database: Database,
  audit: Pick<AuditLog, 'append' | 'unkept'>,
  approvers: Approvers,
): Promise<Grants> {
  const rows = await database.selectFrom('grants').selectAll().orderBy('given_at').execute();
  const held = createHeld(database);
  for (const row of rows) held.add(grantOfRow(row));
  const inForce = (isWanted: (grant: Grant) => boolean = () => true) =>
    held
      .all()
      .filter(isWanted)
      .filter((grant) => isMeant(grant, approvers));
  const whyFull = (agent: string) => {
    const whose = agent === '' ? 'what is asked for without an agent' : `agent ${agent}`;
    if (inForce((grant) => grant.agent === agent).length >= grantsPerAgent)
      return `${whose} has ${grantsPerAgent} grants already; revoke those that it needs no more`;
    return inForce().length >= grantsAtMost ? `there are ${grantsAtMost} grants already` : '';
  };
  const end = (grant: Grant, by: string, reason: string) =>
    tighten({
      apply: () => held.remove(grant.id),
      keep: () => dropGrant(database, grant.id),
      record: () => audit.append(recordOf(grant, 'revoked', by, reason)),
      unkept: audit.unkept,
    });
  return {
    whyFull,
    give: async (given, forMs) => {
      const full = whyFull(given.agent);
      if (full !== '') throw new Error(full);
      const since = Date.now();
      const grant = { ...given, id: randomBytes(8).toString('hex'), since, until: since + forMs };
      await loosen({
        apply: () => held.add(grant),
        keep: () => keepGrant(database, grant),
        record: () => audit.append(recordOf(grant, 'given', joinNames(grant.by), '')),
        recordStay: () => audit.append(recordOf(grant, 'withdrawn', 'gateway', '')),
        unkept: audit.unkept,
      });
      return grant;
    },
    of: (agent, planHash, deed) => inForce((grant) => grant.agent === agent && isOf(grant, planHash, deed)),
    list: () => inForce(),
    revoke: async (id, by, reason) => {
      const [grant] = inForce((each) => each.id === id);
      if (grant !== undefined) await end(grant, by, reason);
      return grant;
    },
    endAllBut: async (agents) => {
      const kept = new Set(['', ...agents]);
      const others = held.all().filter(({ agent }) => !kept.has(agent));
      // A row that stays, or comes back with an older copy, is not for the next agent of that name.
      await Promise.all(others.map((grant) => end(grant, 'gateway', 'its agent has gone')));
      // Also those whose time is over: a clock may be set back.
      await dropGrantsOfOthers(database, [...kept]);
    },
  };
}

interface HeldGrants {
  readonly add: (grant: Grant) => void;
  readonly remove: (id: string) => void;
  /** Those whose time is not over, in the order of adding. */
  readonly all: () => Grant[];
}

/** One whose time is over is gone from the disk, too: a start after the clock was set back would count its time again. */
function createHeld(database: Database): HeldGrants {
  const held = new Map<string, Held>();
  const forgetOver = () => {
    for (const [id, { life }] of held) {
      if (!life.isOver()) continue;
      held.delete(id);
      // A row that stays has at most its whole time again.
      void dropGrant(database, id).catch(() => {});
    }
  };
  return {
    add: (grant) => {
      const ms = restOf(grant);
      held.set(grant.id, { grant, life: lifetime(Date.now() + ms) });
      setTimeout(forgetOver, Math.min(ms + lateMs, longestTimerMs)).unref();
    },
    remove: (id) => void held.delete(id),
    all: () => {
      forgetOver();
      return [...held.values()].map(({ grant }) => grant);
    },
  };
}

/** Each who gave it may do so now, and nothing of that has changed since. */
function isMeant({ by, stamps, agent }: Grant, { rightOf }: Approvers): boolean {
  return by.every((name, at) => {
    const right = rightOf(name, agent);
    return right !== undefined && (stamps[at] ?? right.stamp) === right.stamp;
  });
}

function isOf(grant: Grant, planHash: string, deed: string): boolean {
  return grant.planHash === planHash || (grant.deed !== '' && grant.deed === deed);
}

function recordOf(
  { id, agent, planHash, execution, until }: Grant,
  event: GrantRecord['event'],
  by: string,
  reason: string,
): GrantRecord {
  const of = { grant: id, agent, planHash, execution, until: new Date(until).toISOString() };
  return { type: 'grant', event, ...of, by, reason };
}
