import type { Duplex } from 'node:stream';
import { EgressError } from '../../src/egress/egress-error.ts';
import { countPiecesOf } from '../../src/wire/small-pieces.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Metric } from '../ports/metrics.ts';
import { agentPrincipal } from '../ports/principal.ts';
import type { Reaching } from '../ports/reaching.ts';
import { type End, endOf, faultOf, recordOf } from './connection-end.ts';
import { createReaching } from './create-reaching.ts';
import { createCounts } from './egress-counts.ts';
import { followRoute, type RouteParts } from './follow-route.ts';
import { forward } from './forward.ts';
import { type Gone, goneWith } from './gone-client.ts';
import { lastWords } from './last-words.ts';
import type { ReachParts } from './reach-destination.ts';
import { type Asked, createRequestReader } from './read-request.ts';
import { refusalBytes, refusalOf } from './refusal.ts';
import { isForMcp, serveOwnMcp } from './serve-own-mcp.ts';
import { tunnel } from './tunnel.ts';
import { newVisit, type Visit } from './visit.ts';
import type { Way } from './way.ts';

export interface EgressParts extends Pick<RouteParts, 'routes' | 'secret'>, ReachParts {
  readonly audit: Pick<AuditLog, 'append' | 'problem'>;
  /** So long a connection may be silent. */
  readonly idleMs?: number;
}

export interface Egress {
  /** Serves one accepted connection to its end. Resolves when it is over, and in the audit. */
  readonly serve: (client: Duplex, way: Way, isOfUser?: boolean) => Promise<void>;
  /** Connections that the gateway makes by itself. */
  readonly reaching: Reaching;
  readonly metrics: () => readonly Metric[];
}

const tooMany = refusalOf(new EgressError('limit', 'too many connections are open'));

export function openEgress({ audit, idleMs = 300_000, ...rest }: EgressParts): Egress {
  const counts = createCounts();
  const parts = { ...rest, idleMs };
  const readRequest = createRequestReader();

  async function serve(client: Duplex, way: Way, isOfUser = false): Promise<void> {
    const began = performance.now();
    countPiecesOf(client, agentPrincipal(way.agent));
    using gone = goneWith(client, way.signal);
    // Who goes away while it waits was never there.
    const isIn = await way.account.enter(gone.signal).catch(() => undefined);
    if (isIn !== true) {
      if (isIn === false) {
        counts.turnedAway();
        await lastWords(client, refusalBytes(tooMany), client);
      }
      client.destroy();
      return;
    }
    const visit = newVisit(way, gone.signal, isOfUser);
    counts.opened();
    try {
      const end = await attend(client, visit, gone);
      const ms = Math.round(performance.now() - began);
      counts.closed(end.outcome, visit.facts);
      const record = recordOf(visit, end, ms);
      way.ended(record);
      await audit.append(record).catch(() => counts.unrecorded());
    } finally {
      client.destroy();
      way.account.leave();
    }
  }

  async function attend(client: Duplex, visit: Visit, gone: Gone): Promise<End> {
    let asked: Asked | undefined;
    try {
      // Also if the client goes away meanwhile: its record takes a place in the audit all the same.
      await visit.way.account.pace(visit.way.signal);
      visit.signal.throwIfAborted();
      if (audit.problem() !== '') throw new EgressError('limit', 'the audit cannot be written');
      asked = await readRequest(client, visit.signal);
      if (asked.is === 'tunnel') await tunnel(client, asked, visit, parts);
      else if (isForMcp(asked)) await serveOwnMcp(asked, visit, idleMs);
      else if (asked.request.url?.startsWith('/') === true) await followRoute(asked, visit, parts);
      else await forward(asked, visit, parts);
      return { outcome: 'closed', text: '' };
    } catch (error) {
      if (visit.way.signal.aborted) return { outcome: 'stopped', text: '' };
      const over = visit.whyOver() ?? whyCut(client);
      const fault = faultOf(over ?? error);
      // What is over its limit, or was let through for a while, is cut off, so that its client is gone as well.
      const isCut = over !== undefined || fault.fault === 'limit';
      const hasLeft = gone.signal.aborted || (asked?.is === 'request' && client.readableEnded);
      if (hasLeft && !isCut) return { outcome: 'closed', text: 'its client went away' };
      await tell(client, asked, visit, fault);
      return endOf(fault);
    }
  }

  const reaching = createReaching({ audit, counts, connect: rest.connect });
  return { serve, reaching, metrics: () => counts.metrics() };
}

/** Why we have ended a client that is gone by that. */
function whyCut({ errored }: Duplex): EgressError | undefined {
  return errored instanceof EgressError ? errored : undefined;
}

/** A client that has the beginning of an answer can only be cut off. */
async function tell(
  client: Duplex,
  asked: Asked | undefined,
  visit: Visit,
  fault: EgressError,
): Promise<void> {
  const refusal = refusalOf(fault, visit.way.hide);
  visit.way.refused(refusal.line);
  const unread = asked?.is === 'request' ? asked.request : client;
  await lastWords(client, visit.facts.isAnswered ? '' : refusalBytes(refusal), unread);
}
