import { deadline } from '../../src/abort.ts';
import type { CarrierSession } from '../../src/carrier-client/carrier-session.ts';
import { sendOut } from '../../src/carrier-client/exchange.ts';
import type { SyncConfig } from '../../src/config/gateway-config.ts';
import { ClawrdenError } from '../../src/errors.ts';
import type { ReplicaOf } from '../ports/replica.ts';
import type { HostProblem } from '../ports/workspace-view.ts';
import { type InReplicaParts, inReplica } from './in-replica.ts';
import { refusalOf } from './use-now.ts';

/** The next command of the agent brings it there if this was too short. */
const bringWithinMs = 60_000;

/** What is gone from home is meant: home says so from now on. Resolves with what it has. */
export async function trustHome(home: CarrierSession, agent: string): Promise<number> {
  const { entries, lost } = await home.settle({ trust: true });
  if (lost) throw new ClawrdenError('workspace-suspect', lostText(agent));
  return entries;
}

/** Each replica is brought to a home that was just trusted, all at once. Resolves with the hosts that were not. */
export async function bringToTrusted(
  of: ReplicaOf,
  { carried }: SyncConfig,
  parts: InReplicaParts,
): Promise<readonly HostProblem[]> {
  const { replicas } = parts;
  const all = [...replicas.hosts].map(async (host): Promise<HostProblem[]> => {
    const late = () => new ClawrdenError('canceled', 'it took longer than 60 s');
    using until = deadline(bringWithinMs, late);
    try {
      if (!(await replicas.isOn(host, of))) return [];
      const slot = replicas.slot(host, of);
      await inReplica(
        slot,
        () => carried,
        parts,
        until.signal,
        ({ session }, turn) => sendOut(turn, session, { trusted: true, limits: carried.limits }),
      );
      return [];
    } catch (error) {
      return [{ host, problem: refusalOf(error, host).text }];
    }
  });
  return (await Promise.all(all)).flat();
}

function lostText(agent: string): string {
  return `the folder of the workspace of agent ${agent} is not at its place: put it back, and restart the relay`;
}
