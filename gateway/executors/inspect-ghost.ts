import { ClawrdenError } from '../../src/errors.ts';
import { inspectionOf } from '../../src/init-client/init-plan.ts';
import type { Inspector } from './executor.ts';
import { type AllPlacerParts, createPlacer } from './placer.ts';
import { untilInspected } from './until-inspected.ts';

/** A place like the plan's own, with the agent's workspace; only its init ever runs there. */
export function createGhostInspector(parts: AllPlacerParts): Inspector {
  const place = createPlacer({ ...parts, nameless: true });
  return async ({ plan }, execution) => {
    const {
      lease: { host, release },
      ghost,
      visit,
      ...placed
    } = await place(plan, execution);
    const forgetHost = host.onLost(() => ghost.session.destroy());
    try {
      const found = ghost.session.inspect(inspectionOf(plan));
      const told = await untilInspected(found, execution.signal);
      execution.clean(placed.release());
      return { found: told, host: host.name };
    } catch (error) {
      execution.clean(placed.destroy().then(() => {}));
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
