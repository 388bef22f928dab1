import type Docker from 'dockerode';
import type { InitSession } from '../../src/init-client/init-session.ts';
import type { Ghost } from '../engine.ts';
import { callTimeoutMs, withDeadline } from './deadline.ts';
import type { Departures } from './departures.ts';
import { engineText } from './engine-errors.ts';
import type { EngineLog } from './engine-log.ts';
import { removeContainer } from './remove-container.ts';

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
): Ghost {
  let gone: Promise<void> | undefined;
  const destroy = async (): Promise<void> => {
    // Even where the engine no longer listens, the init takes the end of its stdin for the end of everything.
    session.destroy();
    try {
      await removeContainer(docker, container.id);
    } catch (error) {
      log.warn({ host, container: container.id, why: engineText(error) }, 'a container may be left');
    }
  };
  return {
    containerId: container.id,
    session,
    leave: () => {
      // The end of its stdin, where it has not ended by itself.
      session.destroy();
      return departures.expect(container.id);
    },
    claim: (executionId) => rename(container, `clawrden-${executionId}`),
    destroy: () => {
      gone ??= destroy();
      return gone;
    },
  };
}

function rename(container: Docker.Container, name: string): void {
  // Only people read the name, and a short command's container is often gone before it is told its own.
  withDeadline(callTimeoutMs, (abortSignal) => container.rename({ name, abortSignal })).catch(() => {});
}
