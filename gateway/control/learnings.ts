import { randomBytes } from 'node:crypto';
import { onAbort } from '../../src/abort.ts';
import { EgressError } from '../../src/egress/egress-error.ts';
import type { Learns } from '../../src/egress/reach.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { FindLearning, Learn, LearnsOf, WantedLearning } from '../ports/learning.ts';
import { principalName } from '../ports/principal.ts';
import { type LearnerParts, whyNotLearn } from './why-not-learn.ts';

export interface LearningsParts extends LearnerParts {
  readonly audit: Pick<AuditLog, 'append'>;
}

/** Who learns what which tool needs, as long as this gateway lives. */
export interface Learnings {
  readonly learn: Learn;
  /** For plans. */
  readonly of: LearnsOf;
  /** For connections. */
  readonly find: FindLearning;
  /** Ends those that may not be. To be called after every change of what they depend on. */
  readonly hold: () => void;
}

interface Session extends WantedLearning {
  readonly learns: Learns;
  readonly destinations: Set<string>;
  readonly tell: (destination: string) => void;
  readonly stop: AbortController;
  readonly ended: PromiseWithResolvers<string>;
  /** Its beginning is in the audit. */
  isBegun: boolean;
}

const mostSessions = 16;
const mostDestinations = 1000;

export function createLearnings(parts: LearningsParts): Learnings {
  const open = new Map<string, Session>();
  const whyNot = (session: WantedLearning) => whyNotLearn(session, parts);
  const isOpen = (session: Session | undefined): session is Session =>
    session?.isBegun === true && whyNot(session) === '';

  const learn: Learn = async (wanted, by, tell, signal) => {
    const refused = whyNot(wanted) || whyTaken(wanted, open);
    if (refused !== '') return { refused };
    const session = newSession(wanted, principalName(by), tell);
    open.set(session.learns.id, session);
    const until = Date.now() + wanted.ms;
    try {
      await record(parts, session, 'learning', wanted.reason);
    } catch (error) {
      open.delete(session.learns.id);
      throw error;
    }
    session.isBegun = true;
    const timer = setTimeout(() => end(session, 'its time is over'), wanted.ms);
    const left = onAbort(signal, () => end(session, `${session.learns.by} has left`));
    const ended = session.ended.promise.finally(() => {
      clearTimeout(timer);
      left[Symbol.dispose]();
    });
    hold();
    return { value: { network: networkOf(wanted, parts), until, ended } };
  };

  function end(session: Session, why: string): void {
    if (!open.delete(session.learns.id)) return;
    session.stop.abort(new EgressError('denied', 'nobody learns any more what this needs'));
    const recorded = record(parts, session, 'learned', why);
    // If it cannot be written, the audit's health says so.
    void recorded.catch(() => {}).then(() => session.ended.resolve(why));
  }

  function hold(): void {
    for (const session of open.values()) {
      const why = session.isBegun ? whyNot(session) : '';
      if (why !== '') end(session, why);
    }
  }

  return {
    learn,
    of: (agent, tool) =>
      [...open.values()].find((session) => isOf(session, { agent, tool }) && isOpen(session))?.learns,
    find: (id) => {
      const session = open.get(id);
      return isOpen(session) ? asSeen(session) : undefined;
    },
    hold,
  };
}

function newSession(wanted: WantedLearning, by: string, tell: Session['tell']): Session {
  return {
    ...wanted,
    ...{ learns: { by, id: randomBytes(8).toString('hex') }, tell },
    ...{ destinations: new Set(), stop: new AbortController(), isBegun: false },
    ended: Promise.withResolvers(),
  };
}

function asSeen({ destinations, tell, stop }: Session): ReturnType<FindLearning> {
  return {
    signal: stop.signal,
    takes: (destination) => destinations.has(destination) || destinations.size < mostDestinations,
    reached: (destination) => {
      if (destinations.has(destination) || destinations.size >= mostDestinations) return;
      destinations.add(destination);
      tell(destination);
    },
  };
}

function whyTaken(wanted: WantedLearning, open: ReadonlyMap<string, Session>): string {
  const other = [...open.values()].find((session) => isOf(session, wanted));
  if (other !== undefined)
    return `${other.learns.by} learns what ${wanted.tool} of ${wanted.agent} needs now`;
  return open.size < mostSessions ? '' : `there are ${mostSessions} learnings already`;
}

function isOf(session: WantedLearning, { agent, tool }: Pick<WantedLearning, 'agent' | 'tool'>): boolean {
  return session.agent === agent && session.tool === tool;
}

function networkOf({ tool }: WantedLearning, { policy }: LearnerParts): string {
  return policy().tools.get(tool)?.reach.network || 'none';
}

async function record(
  { audit }: Pick<LearningsParts, 'audit'>,
  { agent, tool, ms, learns: { by, id }, destinations }: Session,
  state: 'learning' | 'learned',
  reason: string,
): Promise<void> {
  const found = state === 'learned' ? { destinations: destinations.size } : { ms };
  await audit.append({ type: 'control', agent, state, by, reason, tool, learning: id, ...found });
}
