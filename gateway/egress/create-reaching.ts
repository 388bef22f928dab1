import type { Socket } from 'node:net';
import { abortable } from '../../src/abort.ts';
import { EgressError } from '../../src/egress/egress-error.ts';
import { endpointText } from '../../src/egress/endpoint.ts';
import type { Connect } from '../../src/egress/guarded-connect.ts';
import { noReach, type Reach } from '../../src/egress/reach.ts';
import { countPiecesOf } from '../../src/wire/small-pieces.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { agentPrincipal } from '../ports/principal.ts';
import type { Asked, Reaching } from '../ports/reaching.ts';
import { openAccount } from './account.ts';
import { type End, endOf, faultOf, recordOf } from './connection-end.ts';
import type { EgressCounts } from './egress-counts.ts';
import { reachDestination } from './reach-destination.ts';
import { secured } from './secure-socket.ts';
import { newVisit, type Visit } from './visit.ts';

interface ReachingParts {
  readonly audit: Pick<AuditLog, 'append' | 'problem'>;
  readonly connect: Connect;
  readonly counts: EgressCounts;
}

/** Somebody learns what a ghost needs, never what the gateway fetches. */
const nobodyLearns = () => undefined;

const everywhere: Reach = { ...noReach, routes: [] };

/** Connections that the gateway makes by itself: checked, recorded and counted as those of a way out. */
export function createReaching({ audit, connect, counts }: ReachingParts): Reaching {
  return async (traveller, asked, use) => {
    const began = performance.now();
    const way = { ...traveller, reach: asked.reach ?? everywhere, account: openAccount({}) };
    const visit = newVisit(way, traveller.signal);
    let socket: Socket | undefined;
    let end: End = { outcome: 'closed', text: asked.why };
    counts.opened();
    try {
      if (audit.problem() !== '') throw new EgressError('limit', 'the audit cannot be written');
      socket = await connected(visit, asked, connect);
      const ready = asked.secure ? await secured(socket, asked.endpoint.name, visit.signal) : socket;
      countPiecesOf(ready, agentPrincipal(way.agent));
      return await abortable(use(ready), visit.signal);
    } catch (error) {
      const { aborted, reason } = visit.signal;
      const fault: unknown = aborted ? reason : faultOf(error);
      end = fault instanceof EgressError ? endOf(fault) : { outcome: 'stopped', text: '' };
      throw fault;
    } finally {
      visit.facts.up = socket?.bytesWritten ?? 0;
      visit.facts.down = socket?.bytesRead ?? 0;
      socket?.destroy();
      counts.closed(end.outcome, visit.facts);
      const record = recordOf(visit, end, Math.round(performance.now() - began));
      traveller.ended(record);
      await audit.append(record).catch(() => counts.unrecorded());
    }
  };
}

async function connected(visit: Visit, { endpoint, reach }: Asked, connect: Connect): Promise<Socket> {
  if (reach !== undefined)
    return (await reachDestination(visit, endpoint, { connect, findLearning: nobodyLearns })).socket;
  visit.facts.to = endpointText(endpoint);
  const reached = await connect({ ...endpoint, private: false }, visit.signal);
  visit.facts.address = reached.address;
  return reached.socket;
}
