import { findDestination } from '../../src/egress/destination.ts';
import { EgressError } from '../../src/egress/egress-error.ts';
import { type Endpoint, endpointText } from '../../src/egress/endpoint.ts';
import type { Connect, Reached } from '../../src/egress/guarded-connect.ts';
import type { FindLearning } from '../ports/learning.ts';
import type { Visit } from './visit.ts';

export interface ReachParts {
  readonly connect: Connect;
  readonly findLearning: FindLearning;
}

const longestShown = 120;

/** A connection to `endpoint`, if the network of this visit has it, or if somebody learns what it needs. */
export async function reachDestination(
  visit: Visit,
  endpoint: Endpoint,
  { connect, findLearning }: ReachParts,
): Promise<Reached> {
  const { reach } = visit.way;
  visit.facts.to = endpointText(endpoint);
  const destination = findDestination(reach.allow, endpoint);
  if (destination === undefined) return await reachToLearn(visit, endpoint, { connect, findLearning });
  const reached = await connect({ ...endpoint, private: destination.private === true }, visit.signal);
  visit.facts.address = reached.address;
  return reached;
}

/** It ends with the learning. */
async function reachToLearn(
  visit: Visit,
  endpoint: Endpoint,
  { connect, findLearning }: ReachParts,
): Promise<Reached> {
  const { facts, way } = visit;
  const { network, learns } = way.reach;
  const learning = learns && findLearning(learns.id);
  if (learning === undefined)
    throw new EgressError(
      'denied',
      `${way.hide(facts.to).slice(0, longestShown)} is not a destination of network ${network}`,
    );
  // What is learned is kept, and shown to people.
  if (way.hide(facts.to) !== facts.to) throw new EgressError('denied', 'a name with a secret is not learned');
  if (!learning.takes(facts.to)) throw new EgressError('limit', 'more destinations than are learned at once');
  facts.isLearned = true;
  visit.endWith(learning.signal);
  const reached = await connect({ ...endpoint, private: false }, visit.signal);
  facts.address = reached.address;
  learning.reached(facts.to);
  return reached;
}
