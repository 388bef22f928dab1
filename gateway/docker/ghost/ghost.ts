import { setTimeout } from 'node:timers/promises';
import type Docker from 'dockerode';
import type { InitSession } from '../../../src/init-client/init-session.ts';
import type { Ghost } from '../../ports/engine.ts';
import type { Departures } from '../container/departures.ts';
import { removeContainer } from '../container/remove-container.ts';
import { startEnded } from '../container/start-container.ts';
import { callTimeoutMs, withDeadline } from '../engine/deadline.ts';
import { engineText, toEngineError } from '../engine/engine-errors.ts';
import type { EngineLog } from '../engine/engine-log.ts';
import { execInit } from './exec-init.ts';
import { processorTime } from './processor-time.ts';

interface GhostSource {
  readonly docker: Docker;
  readonly host: string;
  readonly log: EngineLog;
  readonly departures: Departures;
}

/** The handle of a container whose init is ready. */
export function ghostOf(
  { docker, host, log, departures }: GhostSource,
  container: Docker.Container,
  session: InitSession,
  user: string,
): Ghost {
  let gone: Promise<boolean> | undefined;
  let named: Promise<void> = Promise.resolve();
  const destroy = async (): Promise<boolean> => {
    await Promise.race([named, setTimeout(namingWaitMs, undefined, { ref: false })]);
    // Even if the engine no longer listens, the init takes the end of its stdin for the end of everything.
    session.destroy();
    try {
      await removeContainer(docker, container.id);
      return true;
    } catch (error) {
      log.warn({ host, container: container.id, why: engineText(error) }, 'a container may be left');
      return false;
    }
  };
  return {
    containerId: container.id,
    session,
    execInit: (signal) =>
      execInit(container, user, signal).catch((error: unknown) => {
        throw signal.aborted ? startEnded(signal) : toEngineError(error, host);
      }),
    processorMs: () => processorTime(docker, container.id),
    release: async () => {
      await Promise.race([named, setTimeout(namingWaitMs, undefined, { ref: false })]);
      // The init has ended its command, and waits for this before it ends.
      session.destroy();
      return departures.expect(container.id);
    },
    claim: (executionId) => {
      named = rename(container, `clawrden-${executionId}`);
    },
    destroy: () => {
      gone ??= destroy();
      return gone;
    },
  };
}

/**
 * On Docker 20.10 a container that is renamed while it is being removed stays in the engine's list until the engine
 * restarts (one in thirty). So no end may begin before its name is settled.
 */
const namingWaitMs = 500;

async function rename(container: Docker.Container, name: string): Promise<void> {
  // Only people read the name.
  await withDeadline(callTimeoutMs, (abortSignal) => container.rename({ name, abortSignal })).catch(() => {});
}
