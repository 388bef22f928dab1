import type { SessionConfig } from '../../../src/config/gateway-config.ts';
import type { Session } from './session.ts';

const lookEveryMs = 1_000;
/** What is looked at costs a call of the engine. */
const longestUnseenMs = 60_000;
/** Of one processor: what a process uses less of does nothing. */
const idleShare = 0.001;

interface Seen {
  /** Its processors' time then, in milliseconds. */
  readonly ms: number;
  readonly at: number;
  readonly usedAt: number;
}

/** Ends sessions that are unused or old, and those on hosts from which a person took new work. */
export function watchIdle(open: ReadonlySet<Session>, limits: () => SessionConfig): { stop: () => void } {
  const seen = new WeakMap<Session, Seen>();
  const looking = new WeakSet<Session>();
  const look = async (session: Session): Promise<void> => {
    if (looking.has(session)) return;
    looking.add(session);
    await noteUse(session, seen, limits()).catch(() => {});
    looking.delete(session);
  };
  const timer = setInterval(() => {
    for (const session of [...open]) {
      const why = whyOver(session, limits());
      if (why !== '') session.retire(why);
      else void look(session);
    }
  }, lookEveryMs).unref();
  return { stop: () => clearInterval(timer) };
}

function whyOver({ since, usedAt, commands, host }: Session, { idleMs, maxAgeMs }: SessionConfig): string {
  const now = performance.now();
  if (host?.draining === true) return `the Docker host ${host.name} takes no more work`;
  if (now - since >= maxAgeMs) return 'it is as old as sessions may be';
  return commands === 0 && now - usedAt >= idleMs ? 'nothing used it' : '';
}

/** Without a command: what its processes did since it was last looked at. */
async function noteUse(
  session: Session,
  seen: WeakMap<Session, Seen>,
  { idleMs }: SessionConfig,
): Promise<void> {
  const { ghost, commands, usedAt } = session;
  const before = seen.get(session);
  const now = performance.now();
  if (ghost === undefined || commands > 0) return;
  if (before?.usedAt === usedAt && now - before.at < Math.min(idleMs / 4, longestUnseenMs)) return;
  const ms = await ghost.processorMs();
  // A command came meanwhile: its own work does not count.
  if (session.usedAt !== usedAt) return;
  if (before?.usedAt === usedAt && ms - before.ms > idleShare * (now - before.at)) session.used();
  seen.set(session, { ms, at: now, usedAt: session.usedAt });
}
