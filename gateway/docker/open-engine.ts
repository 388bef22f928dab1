import type Docker from 'dockerode';
import { ClawrdenError } from '../../src/errors.ts';
import { createNextPiece, type NextPiece } from '../../src/next-piece.ts';
import type { Engine } from '../ports/engine.ts';
import type { ReplicaHost } from '../ports/replica.ts';
import { type Departures, departures } from './container/departures.ts';
import { removeContainer } from './container/remove-container.ts';
import {
  type SparedContainers,
  sparedContainers,
  startingContainers,
} from './container/starting-containers.ts';
import { checkHost, pingEngine } from './engine/check-host.ts';
import { connect, type EngineAddress } from './engine/connect.ts';
import { engineText, toEngineError } from './engine/engine-errors.ts';
import type { EngineLog } from './engine/engine-log.ts';
import { renewable } from './engine/renewable.ts';
import { removeStrays } from './ghost/remove-strays.ts';
import { startGhost } from './ghost/start-ghost.ts';
import { imageVolumes, inspectImage } from './images/image-facts.ts';
import { pullImage } from './images/pull-image.ts';
import { fillInitVolume } from './init/init-volume.ts';
import type { NativeFiles, NativeFilesFor } from './init/native-files.ts';
import { removeOldInitVolumes } from './init/remove-old-init-volumes.ts';
import { openReplica, removeReplica } from './replica/open-replica.ts';
import { replicasOn } from './replica/replica-volumes.ts';
import { watchEngine } from './watch-engine.ts';

/**
 * Engines as the gateway uses them. `filesFor` gives the static programs for a processor. Throws if the address cannot
 * be used; sends nothing before the first call.
 */
export function createOpenEngine(
  gatewayId: string,
  filesFor: NativeFilesFor,
  log: EngineLog,
): (address: EngineAddress) => Engine & ReplicaHost {
  const spared = sparedContainers();
  // Of all engines, and apart from what people look at: a start waits for none of them.
  const nextPiece = createNextPiece();
  return (address) => openEngine(address, { gatewayId, filesFor, log, spared, nextPiece });
}

interface EngineParts {
  readonly gatewayId: string;
  readonly filesFor: NativeFilesFor;
  readonly log: EngineLog;
  readonly spared: SparedContainers;
  readonly nextPiece: NextPiece;
}

function openEngine(
  address: EngineAddress,
  { gatewayId, filesFor, log, spared, nextPiece }: EngineParts,
): Engine & ReplicaHost {
  const { name: host } = address;
  const { docker, explain, close } = connect(address, nextPiece);
  const starting = startingContainers(spared);
  const initVolume = renewable(async (again) => {
    const files = programsFor(await checkHost(docker, host), host, filesFor);
    const volume = await fillInitVolume({ docker, gatewayId, starting, files }, again);
    await removeOldInitVolumes(docker, volume.name).catch((error: unknown) =>
      log.warn({ host, why: engineText(error) }, 'init volumes of other builds may be left'),
    );
    return volume;
  });
  const leaving = departuresOf(docker, host, log);
  const source = {
    docker,
    host,
    gatewayId,
    log,
    starting,
    departures: leaving,
    initVolume,
    imageVolumes: imageVolumes({ docker, host, log }),
    carriers: spared.carriers,
  };
  const mapped = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      throw toEngineError(error, host);
    });
  return {
    startGhost: (shape, purpose, signal) => startGhost(source, shape, purpose, signal),
    inspectImage: (reference) => mapped(inspectImage(source, reference)),
    pullImage: (reference, onProgress, signal) => pullImage(docker, host, reference, onProgress, signal),
    ping: () => mapped(ping()),
    removeStrays: (keep, signal) =>
      mapped(removeStrays(source, new Set([...keep, ...source.carriers]), signal)),
    openReplica: (wish, signal) => openReplica(source, wish, signal),
    replicas: () => mapped(replicasOn(docker, gatewayId)),
    removeReplica: (of) => mapped(removeReplica(source, of)),
    watch: (options, signal) =>
      mapped(watchEngine({ docker, gatewayId, departures: leaving }, options, signal)),
    close: () => {
      starting.end();
      close();
    },
  };

  async function ping(): Promise<void> {
    try {
      await pingEngine(docker);
    } catch (error) {
      // After a loss, another engine may answer at the same address.
      initVolume.forget();
      throw explain(error);
    }
    await initVolume.get();
  }
}

function programsFor(processor: string, host: string, filesFor: NativeFilesFor): NativeFiles {
  try {
    return filesFor(processor);
  } catch (error) {
    throw new ClawrdenError('no-host', `host ${host}: host-processor: ${(error as Error).message}`);
  }
}

function departuresOf(docker: Docker, host: string, log: EngineLog): Departures {
  return departures(async (containerId) => {
    try {
      await removeContainer(docker, containerId);
    } catch (error) {
      log.warn({ host, container: containerId, why: engineText(error) }, 'a container may be left');
    }
  });
}
