import type { Logger } from 'pino';
import type { AgentConfig, HostConfig } from '../../src/config/gateway-config.ts';
import type { Workspaces } from './follow.ts';

export interface CopyAheadParts {
  readonly workspaces: Pick<Workspaces, 'visit' | 'behindMs'>;
  readonly agents: () => ReadonlyMap<string, AgentConfig>;
  /** Hosts that take work now. */
  readonly ready: () => readonly HostConfig[];
  readonly log: Logger;
}

/** Copies an agent's workspace ahead, unless it does already: a relay may begin lane after lane. */
export function createCopyAhead(parts: CopyAheadParts, signal: AbortSignal): (agent: string) => void {
  const copying = new Set<string>();
  return (agent) => {
    if (copying.has(agent)) return;
    copying.add(agent);
    void copyAhead(agent, parts, signal).finally(() => copying.delete(agent));
  };
}

/** An agent's first copy begins when its relay connects, on the host that is nearest to it, and not at a command. */
async function copyAhead(
  agent: string,
  { workspaces, agents, ready, log }: CopyAheadParts,
  signal: AbortSignal,
): Promise<void> {
  const wanted = Object.entries(agents().get(agent)?.hosts ?? {});
  const able = ready().filter(({ labels }) => wanted.every(([key, value]) => labels[key] === value));
  const [nearest] = able.sort((a, b) => workspaces.behindMs(a, agent) - workspaces.behindMs(b, agent));
  const visit = nearest && workspaces.visit(nearest, agent, '');
  if (visit === undefined) return;
  try {
    await visit.settle(signal);
    log.info({ agent, host: nearest?.name }, 'the workspace is on the host');
  } catch (error) {
    // The first command tries again, and says what is wrong.
    log.debug({ agent, host: nearest?.name, why: String(error) }, 'the workspace was not copied ahead');
  } finally {
    visit.end();
  }
}
