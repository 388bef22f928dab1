import { toClawrdenError } from '../../src/errors.ts';
import type { InitSession } from '../../src/init-client/init-session.ts';
import type { Plan } from '../../src/plan.ts';
import type { Execution } from '../execution/execution.ts';
import type { Ghost } from '../ports/engine.ts';
import type { LeaseRequest } from '../scheduler/placement/candidates.ts';
import type { Session } from '../scheduler/sessions/session.ts';
import { isLeftOut, type Sessions } from '../scheduler/sessions/sessions.ts';
import { OtherFolder } from '../workspaces/faults.ts';
import {
  type Place,
  type Placed,
  type PlacerParts,
  requestOf,
  settled,
  tellPlace,
  throughGate,
  visitOf,
} from './place-ghost.ts';

export interface SessionPlacerParts extends Pick<PlacerParts, 'workspaces' | 'startTimeoutMs' | 'labelsOf'> {
  readonly sessions: Pick<Sessions, 'of'>;
}

/** A session may end just when a command comes. */
const mostTries = 3;

/** Finds the agent's session of the plan's container, or starts it. */
export function createSessionPlacer(parts: SessionPlacerParts): Place {
  return (plan, execution) => {
    const { workspaces } = parts;
    const gate = plan.mounts.length === 0 ? undefined : workspaces.gate(plan.agent);
    if (gate === undefined) return enter(plan, execution, parts);
    return throughGate(gate, execution.signal, (leave) => enter(plan, execution, parts, leave));
  };
}

async function enter(
  plan: Plan,
  execution: Execution,
  parts: SessionPlacerParts,
  leaveGate?: () => void,
): Promise<Placed> {
  const request = sessionRequestOf(plan, execution, parts);
  const onPlace = (at: number) => tellPlace(execution, at);
  execution.queued();
  for (let tries = 1; ; tries += 1) {
    const session = parts.sessions.of(request, onPlace);
    try {
      const init = await session.enter(execution.signal, parts.startTimeoutMs);
      const placed = placedIn(session, init);
      const visiting = () => visitOf(placed, request, execution, parts);
      const ready = await settledOrLeft(placed, () => settled(placed, visiting, execution, leaveGate));
      if (plan.mounts.some(({ readOnly }) => readOnly !== true)) ready.visit?.leaveIn(session);
      return ready;
    } catch (error) {
      execution.signal.throwIfAborted();
      // Nothing of the plan was sent.
      const isLost = toClawrdenError(error).code === 'session-lost' || error instanceof OtherFolder;
      if (!(isLost || isLeftOut(session, request)) || tries === mostTries) throw error;
    }
  }
}

/** Who asks for other hosts gets another session. */
function sessionRequestOf(plan: Plan, execution: Execution, parts: SessionPlacerParts): LeaseRequest {
  const request = requestOf(plan, execution, parts);
  const wanted = Object.entries(request.labels).sort(([a], [b]) => (a < b ? -1 : 1));
  return { ...request, key: JSON.stringify([request.key, wanted]) };
}

async function settledOrLeft(placed: Placed, settle: () => Promise<Placed>): Promise<Placed> {
  try {
    return await settle();
  } catch (error) {
    placed.lease.release();
    throw error;
  }
}

function containerOf({ containerId, inReplica }: Ghost): Pick<Ghost, 'containerId' | 'inReplica'> {
  return { containerId, ...(inReplica !== undefined && { inReplica }) };
}

function placedIn(session: Session, init: InitSession): Placed {
  const { ghost, host } = session;
  if (ghost === undefined || host === undefined)
    throw new Error('a session that was entered has no container');
  let isLeft = false;
  const leave = () => {
    if (!isLeft) session.leave();
    isLeft = true;
  };
  return {
    lease: { host, release: leave },
    ghost: { ...containerOf(ghost), session: init, claim: () => {} },
    nameless: false,
    release: () => {
      init.destroy();
      return Promise.resolve();
    },
    destroy: () => {
      init.destroy();
      // Only the init knows what the command left: without its word everything must end.
      return init.mayRun ? session.end('a command in it did not end as it should') : Promise.resolve(true);
    },
  };
}
