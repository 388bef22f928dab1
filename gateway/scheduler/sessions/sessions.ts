import type { SessionConfig } from '../../../src/config/gateway-config.ts';
import { ClawrdenError } from '../../../src/errors.ts';
import type { AuditRecord } from '../../audit/audit-record.ts';
import type { SessionView } from '../../ports/session-view.ts';
import type { LeaseRequest } from '../placement/candidates.ts';
import type { Scheduler } from '../placement/scheduler.ts';
import { createEndings, type EndingSession, viewOf as endingOf } from './endings.ts';
import { Session } from './session.ts';
import { type StartSessionParts, startSession } from './start-session.ts';
import { watchIdle } from './watch-idle.ts';

export interface SessionsParts extends StartSessionParts {
  readonly scheduler: Pick<Scheduler, 'lease' | 'hosts'>;
  readonly limits: () => SessionConfig;
  /** Appends to the audit without waiting. */
  readonly record: (entry: AuditRecord) => void;
}

type Concerned = (agent: string) => boolean;

/** The sessions of all agents: one for each container that a plan may ask for. */
export interface Sessions {
  /** The one of this key that takes commands; it starts if there is none. Throws `rate-limit` if its agent has too many. */
  readonly of: (request: LeaseRequest, onPlace: (place: number) => void) => Session;
  readonly list: () => SessionView[];
  /** Those of these agents end now: each with whether it is gone, also those that ended before and may still be there. */
  readonly end: (concerned: Concerned, why: string) => readonly EndingSession[];
  /** These take no more commands, and end with the last one that is there. One that is starting has no host yet. */
  readonly retire: (concerned: (agent: string, host: string | undefined) => boolean, why: string) => void;
  /** Ends all. */
  readonly close: () => Promise<void>;
}

/** Of one agent. The one that was unused longest makes room. */
export const mostSessions = 4;

export function createSessions(parts: SessionsParts): Sessions {
  const open = new Set<Session>();
  const endings = createEndings(parts.scheduler.hosts);
  const tell = recorder(parts);
  const watch = watchIdle(open, parts.limits);

  function begin(request: LeaseRequest, onPlace: (place: number) => void): Session {
    makeRoom([...open].filter(({ agent }) => agent === request.shape.agent));
    const session = new Session({
      request,
      scheduler: parts.scheduler,
      start: (signal) => startSession(request, onPlace, parts, signal),
      onStarted: (started) => {
        tell(started, 'started', 'for a command');
        replace(request, (other) => other !== started);
      },
      onEnd: (ended, why) => {
        open.delete(ended);
        queueMicrotask(() => endings.add(ended, ended.end(why)));
        if (ended.ghost !== undefined) tell(ended, 'ended', why);
      },
    });
    open.add(session);
    return session;
  }

  /** Those of its key that are old take no more commands. */
  function replace({ key }: LeaseRequest, isOld: (session: Session) => boolean): void {
    for (const session of [...open])
      if (session.request.key === key && isOld(session)) session.retire('another one took its place');
  }

  function end(concerned: Concerned, why: string): EndingSession[] {
    const before = endings.of(concerned);
    const own = [...open].filter(({ agent }) => concerned(agent));
    return [...before, ...own.map((session) => endingOf({ session, gone: session.end(why) }))];
  }

  return {
    of: (request, onPlace) => {
      const known = [...open].find(
        (session) => session.request.key === request.key && session.isOpen && !isLeftOut(session, request),
      );
      if (known !== undefined) return known;
      // One whose host is left out serves again if no other host can take it: it goes once another has started.
      replace(request, ({ isOpen }) => !isOpen);
      return begin(request, onPlace);
    },
    list: () => [...open].map(viewOf),
    end,
    retire: (concerned, why) => {
      for (const session of [...open]) if (concerned(session.agent, session.host?.name)) session.retire(why);
    },
    close: async () => {
      watch.stop();
      await Promise.all(end(() => true, 'the gateway stops').map(({ gone }) => gone));
    },
  };
}

/** Its host is left out for the command. */
export function isLeftOut({ host }: Session, request: LeaseRequest): boolean {
  return host !== undefined && request.isLeftOut?.(host) === true;
}

/** Throws `rate-limit` if commands are in all of them. */
function makeRoom(own: readonly Session[]): void {
  if (own.length < mostSessions) return;
  const [unused] = own.filter(({ commands }) => commands === 0).sort((a, b) => a.usedAt - b.usedAt);
  if (unused !== undefined) void unused.end('its agent has too many');
  else throw new ClawrdenError('rate-limit', `the agent has commands in ${own.length} sessions already`);
}

function recorder({ record }: SessionsParts) {
  return (session: Session, state: 'started' | 'ended', reason: string): void => {
    const { agent, host, image, container } = viewOf(session);
    record({ type: 'session', agent, state, host, container, image, by: '', reason });
  };
}

function viewOf(session: Session): SessionView {
  const { id, agent, host, ghost, commands, since, usedAt, isOpen, request } = session;
  const onTheWall = (at: number) => Date.now() - (performance.now() - at);
  return {
    ...{ id, name: `${agent} ${id}` },
    ...{ agent, image: request.shape.image.reference, commands },
    ...{ since: onTheWall(since), usedAt: onTheWall(usedAt) },
    ...{ host: host?.name ?? '', container: ghost?.containerId ?? '' },
    state: ghost === undefined ? 'starting' : isOpen ? 'open' : 'ending',
  };
}
