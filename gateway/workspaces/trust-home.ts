import type { CarrierSession } from '../../src/carrier-client/carrier-session.ts';
import { sendOut } from '../../src/carrier-client/exchange.ts';
import type { SyncConfig } from '../../src/config/gateway-config.ts';
import { ClawrdenError } from '../../src/errors.ts';
import type { HostProblem } from '../ports/workspace-view.ts';
import type { Replicas } from './replicas.ts';
import { refusalOf } from './use-now.ts';

export interface Trusted {
  readonly entries: number;
  readonly left: readonly HostProblem[];
}

/** What is gone from home is meant: home says so from now on, and each replica is brought there. */
export async function trustHome(
  home: CarrierSession,
  agent: string,
  { carried }: SyncConfig,
  replicas: Replicas,
  signal: AbortSignal,
): Promise<Trusted> {
  const { entries, lost } = await home.settle({ trust: true });
  if (lost) throw new ClawrdenError('workspace-suspect', lostText(agent));
  const left: HostProblem[] = [];
  for (const host of replicas.hosts) {
    try {
      if (!(await replicas.agentsOn(host)).includes(agent)) continue;
      const { session } = await replicas.open(replicas.slot(host, agent), carried, signal);
      await sendOut(home, session, { trusted: true });
    } catch (error) {
      signal.throwIfAborted();
      left.push({ host, problem: refusalOf(error, host).text });
    }
  }
  return { entries, left };
}

function lostText(agent: string): string {
  return `the folder of the workspace of agent ${agent} is not at its place: put it back, and restart the relay`;
}
