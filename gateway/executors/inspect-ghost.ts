import { ClawrdenError } from '../../src/errors.ts';
import { inspectionOf } from '../../src/init-client/init-plan.ts';
import type { Inspector } from './executor.ts';
import { createPlacer, type PlacerParts } from './place-ghost.ts';
import { untilInspected } from './until-inspected.ts';

/** A ghost like the plan's own, with the agent's workspace; only its init ever runs there. */
export function createGhostInspector(parts: PlacerParts): Inspector {
  const place = createPlacer({ ...parts, nameless: true });
  return async ({ plan }, execution) => {
    const {
      lease: { host, release },
      ghost,
      visit,
    } = await place(plan, execution);
    const forgetHost = host.onLost(() => ghost.session.destroy());
    try {
      const found = ghost.session.inspect(inspectionOf(plan));
      const told = await untilInspected(found, execution.signal);
      execution.clean(host.release(ghost));
      return told;
    } catch (error) {
      execution.clean(host.destroy(ghost).then(() => {}));
      if (error instanceof ClawrdenError && error.code === 'host-lost')
        parts.onHostLost(host, error, execution.record);
      throw error;
    } finally {
      forgetHost();
      visit?.end();
      release();
    }
  };
}
