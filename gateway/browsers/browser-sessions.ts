import { randomBytes } from 'node:crypto';
import type { AuditLog } from '../audit/audit-log.ts';
import type { CredentialRecord } from '../audit/principal-records.ts';
import type { Checked, Refused } from '../ports/authentication.ts';
import type { BrowserSessions, FoundSession, WantedSession } from '../ports/browser-sessions.ts';
import { type Principal, principalName } from '../ports/principal.ts';
import { type Lifetime, lifetime } from '../principals/lifetime.ts';
import { digestOf } from '../principals/token-text.ts';
import { newSecret } from './secret.ts';

export interface SessionLimits {
  /** Without a request and without an open stream. */
  readonly idleMs: number;
  readonly mostMs: number;
  /** Of one principal; one more ends the one that was opened first. */
  readonly perPrincipal: number;
  readonly inAll: number;
}

export const sessionLimits: SessionLimits = {
  idleMs: 3_600_000,
  mostMs: 12 * 3_600_000,
  perPrincipal: 10,
  inAll: 10_000,
};

interface Session extends FoundSession {
  /** Why it counts no more: for who comes now, or for what is open since then. */
  readonly problem: (when: keyof Lifetime) => Refused | undefined;
  readonly use: () => void;
  readonly principal: string;
}

const unknown = 'the session has ended; sign in again';

export function createBrowserSessions(
  record: AuditLog['append'],
  limits: SessionLimits = sessionLimits,
  freshen: (peer: Pick<Principal, 'kind' | 'name'>) => Promise<void> = async () => {},
): BrowserSessions {
  // The one that was opened first comes first.
  const open = new Map<string, Session>();

  function look(digest: string, when: keyof Lifetime): Session | Refused {
    const session = open.get(digest);
    if (session === undefined) return { refused: unknown };
    const problem = session.problem(when);
    if (problem === undefined) return session;
    // What has ended stays so, whatever its person may do later.
    if (problem.isForAWhile !== true) open.delete(digest);
    return problem;
  }

  function use(digest: string, when: keyof Lifetime): Session | Refused {
    const found = look(digest, when);
    if (!('refused' in found)) found.use();
    return found;
  }

  function tidy(): void {
    for (const digest of [...open.keys()]) look(digest, 'hasRunOut');
  }

  function makeRoom(principal: string): void {
    tidy();
    const own = [...open.keys()].filter((digest) => open.get(digest)?.principal === principal);
    if (own.length >= limits.perPrincipal) open.delete(own[0] ?? '');
    const [oldest = ''] = open.keys();
    if (open.size >= limits.inAll) open.delete(oldest);
  }

  return {
    open: async (wanted) => {
      const id = newSecret();
      const until = Date.now() + limits.mostMs;
      await record(recordOf(wanted, until));
      const digest = digestOf(id);
      const check = (): Checked<Principal> => {
        const found = use(digest, 'hasRunOut');
        return 'refused' in found ? found : { value: found.value };
      };
      const session: Session = { ...begin(wanted, until, limits), check };
      makeRoom(session.principal);
      open.set(digest, session);
      return { id, session };
    },
    freshen: async (id) => {
      const session = open.get(digestOf(id));
      if (session !== undefined) await freshen(session.value);
    },
    find: (id) => use(digestOf(id), 'isOver'),
    close: (id) => void open.delete(digestOf(id)),
    tidy,
  };
}

function begin(
  { admission: { value, check } }: WantedSession,
  until: number,
  { idleMs }: SessionLimits,
): Omit<Session, 'check'> {
  const whole = lifetime(until);
  let idle = lifetime(Date.now() + idleMs);
  return {
    ...{ value, until, principal: principalName(value) },
    problem: (when) => {
      if (whole[when]() || idle[when]()) return { refused: unknown };
      const checked = check();
      return 'refused' in checked ? checked : undefined;
    },
    use: () => {
      idle = lifetime(Date.now() + idleMs);
    },
  };
}

function recordOf({ admission, by, from }: WantedSession, until: number): CredentialRecord {
  return {
    ...{ type: 'credential', credential: 'browser-session', principal: principalName(admission.value) },
    ...{ agents: [], by, from, id: randomBytes(8).toString('hex'), fingerprint: '' },
    until: new Date(until).toISOString(),
  };
}
