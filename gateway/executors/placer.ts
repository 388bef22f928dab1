import { createGhostPlacer, type Place, type PlacerParts } from './place-ghost.ts';
import { createSessionPlacer, type SessionPlacerParts } from './place-session.ts';

export type AllPlacerParts = PlacerParts & SessionPlacerParts;

/** Finds the place that a plan says: a container of its own, or one that its agent keeps. */
export function createPlacer(parts: AllPlacerParts): Place {
  const [alone, inSession] = [createGhostPlacer(parts), createSessionPlacer(parts)];
  return (plan, execution) => (plan.isolation === 'session' ? inSession : alone)(plan, execution);
}
