import type { CarrierSession } from '../../src/carrier-client/carrier-session.ts';
import type { AgentConfig, SyncConfig } from '../../src/config/gateway-config.ts';
import { ClawrdenError, toClawrdenError } from '../../src/errors.ts';
import type { WorkspaceRefusal } from '../ports/workspace-view.ts';
import { toWorkspaceError } from './faults.ts';
import { homeOf } from './home-of.ts';
import type { Homes } from './homes.ts';

/** A person waits no longer for an exchange that is going on. */
const turnWithinMs = 5_000;
/** What a person asked for may move gigabytes. */
const workWithinMs = 10 * 60_000;

/** How the workspace of an agent is followed; a refusal if it is not. */
export function followed(
  agents: ReadonlyMap<string, AgentConfig>,
  agent: string,
): { readonly sync: SyncConfig; readonly home: string } | WorkspaceRefusal {
  const known = agents.get(agent);
  if (known === undefined) return { refused: 'unknown', text: `no agent ${agent}` };
  const { relay, workspace } = known;
  if (workspace?.sync !== undefined) return { sync: workspace.sync, home: homeOf(relay, workspace) };
  const text = `the workspace of agent ${agent} is not followed: its workspace in gateway.yaml has no sync: true`;
  return { refused: 'not-now', text };
}

/** Does `work` with a home that is there; a refusal if it is not, if its turn does not come, or if `work` fails. */
export async function useNow<T>(
  homes: Pick<Homes, 'use' | 'isOffered'>,
  agent: string,
  work: (home: CarrierSession, signal: AbortSignal) => Promise<T>,
  turnMs = turnWithinMs,
): Promise<{ readonly done: T } | WorkspaceRefusal> {
  const run = (signal: AbortSignal, begun: () => void) =>
    homes.use(
      agent,
      async (home) => {
        begun();
        return await work(home, signal);
      },
      signal,
    );
  return soon(homes, agent, run, turnMs);
}

/** The same for what takes turns by itself: it calls `begun` when its first has come. */
export async function soon<T>(
  homes: Pick<Homes, 'isOffered'>,
  agent: string,
  run: (signal: AbortSignal, begun: () => void) => Promise<T>,
  turnMs = turnWithinMs,
): Promise<{ readonly done: T } | WorkspaceRefusal> {
  if (!homes.isOffered(agent)) {
    const text = `the relay of agent ${agent} does not offer its workspace now: see clawrden agents, and the relay's log`;
    return { refused: 'not-now', text };
  }
  const ending = new AbortController();
  const busy = `another exchange of the workspace of agent ${agent} is going on: try again soon`;
  const endIn = (ms: number, why: string) =>
    setTimeout(() => ending.abort(new ClawrdenError('canceled', why)), ms);
  let timer = endIn(turnMs, busy);
  const begun = () => {
    clearTimeout(timer);
    timer = endIn(workWithinMs, 'it took longer than 10 minutes');
  };
  try {
    return { done: await run(ending.signal, begun) };
  } catch (error) {
    return refusalOf(error);
  } finally {
    clearTimeout(timer);
  }
}

export function refusalOf(error: unknown, host = 'home'): WorkspaceRefusal {
  const { code, message } = toClawrdenError(toWorkspaceError(error, host));
  return { refused: 'not-now', text: code === 'canceled' ? message : `${code}: ${message}` };
}
