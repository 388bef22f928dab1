import type { DockerHost } from '../hosts/docker-host.ts';
import { sameEngine } from '../hosts/same-engine.ts';
import type { Session } from './session.ts';

export interface EndingSession {
  readonly agent: string;
  readonly host: string;
  /** False if its container may still be there. Never rejects. */
  readonly gone: Promise<boolean>;
}

interface Ending {
  readonly session: Session;
  readonly gone: Promise<boolean>;
  /** Its host did not remove it then, on the monotonic clock. */
  failedAt?: number;
}

/** The oldest ones are forgotten. */
const mostEndings = 1000;

/** Sessions that take no commands any more and whose container may still be there, because its host did not say. */
export interface Endings {
  readonly add: (session: Session, gone: Promise<boolean>) => void;
  readonly of: (concerned: (agent: string) => boolean) => EndingSession[];
}

export function createEndings(hosts: readonly DockerHost[]): Endings {
  const endings = new Set<Ending>();

  async function follow(ending: Ending): Promise<void> {
    if (await ending.gone) endings.delete(ending);
    else ending.failedAt = performance.now();
  }

  function look(): void {
    for (const ending of endings) if (isSwept(ending, hosts)) endings.delete(ending);
  }

  return {
    add: (session, gone) => {
      look();
      const [oldest] = endings;
      if (endings.size >= mostEndings && oldest !== undefined) endings.delete(oldest);
      const ending: Ending = { session, gone };
      endings.add(ending);
      void follow(ending);
    },
    of: (concerned) => {
      look();
      return [...endings].filter(({ session }) => concerned(session.agent)).map(viewOf);
    },
  };
}

export function viewOf({ session, gone }: Pick<Ending, 'session' | 'gone'>): EndingSession {
  return { agent: session.agent, host: session.host?.name ?? '', gone };
}

/** A sweep that began after it was given up has removed it. Its host may have left `gateway.yaml` and come back since. */
function isSwept({ session: { host }, failedAt }: Ending, hosts: readonly DockerHost[]): boolean {
  if (failedAt === undefined || host === undefined) return false;
  const swept = [host, ...hosts].filter(({ cleanedAt }) => cleanedAt > failedAt);
  return swept.some(({ config }) => sameEngine(config, host.config));
}
