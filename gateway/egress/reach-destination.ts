import { findDestination } from '../../src/egress/destination.ts';
import { EgressError } from '../../src/egress/egress-error.ts';
import { type Endpoint, endpointText } from '../../src/egress/endpoint.ts';
import type { Connect, Reached } from '../../src/egress/guarded-connect.ts';
import type { Visit } from './visit.ts';

const longestShown = 120;

/** A connection to `endpoint`, if the network of this visit has it. */
export async function reachDestination(visit: Visit, endpoint: Endpoint, connect: Connect): Promise<Reached> {
  const { reach } = visit.way;
  visit.facts.to = endpointText(endpoint);
  const destination = findDestination(reach.allow, endpoint);
  if (destination === undefined) {
    const shown = visit.facts.to.slice(0, longestShown);
    throw new EgressError('denied', `${shown} is not a destination of network ${reach.network}`);
  }
  const reached = await connect({ ...endpoint, private: destination.private === true }, visit.signal);
  visit.facts.address = reached.address;
  return reached;
}
