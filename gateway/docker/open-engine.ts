import { readFileSync } from 'node:fs';
import type { Engine } from '../ports/engine.ts';
import { pingEngine, refuseMappedUsers } from './engine/check-host.ts';
import { connect, type EngineAddress } from './engine/connect.ts';
import { engineText, toEngineError } from './engine/engine-errors.ts';
import type { EngineLog } from './engine/engine-log.ts';
import { renewable } from './engine/renewable.ts';
import { departures } from './ghost/departures.ts';
import { removeContainer } from './ghost/remove-container.ts';
import { removeStrays } from './ghost/remove-strays.ts';
import { startGhost } from './ghost/start-ghost.ts';
import { startingContainers } from './ghost/starting-containers.ts';
import { imageVolumes, inspectImage } from './images/image-facts.ts';
import { pullImage } from './images/pull-image.ts';
import { fillInitVolume } from './init/init-volume.ts';
import { removeOldInitVolumes } from './init/remove-old-init-volumes.ts';
import { watchEngine } from './watch-engine.ts';

/**
 * One engine as the gateway uses it. Throws if the address or the init file (the static `clawrden-init`) cannot be
 * used; sends nothing before the first call.
 */
export function openEngine(
  address: EngineAddress,
  gatewayId: string,
  initBinary: string,
  log: EngineLog,
): Engine {
  const { name: host } = address;
  const { docker, explain, close } = connect(address);
  const starting = startingContainers();
  const init = readFileSync(initBinary);
  const initVolume = renewable(async (again) => {
    if (!again) await refuseMappedUsers(docker, host);
    const volume = await fillInitVolume({ docker, gatewayId, starting, init }, again);
    await removeOldInitVolumes(docker, volume.name).catch((error: unknown) =>
      log.warn({ host, why: engineText(error) }, 'init volumes of other builds may be left'),
    );
    return volume;
  });
  const leaving = departures(async (containerId) => {
    try {
      await removeContainer(docker, containerId);
    } catch (error) {
      log.warn({ host, container: containerId, why: engineText(error) }, 'a container may be left');
    }
  });
  const source = {
    docker,
    host,
    gatewayId,
    log,
    starting,
    departures: leaving,
    initVolume,
    imageVolumes: imageVolumes(docker, host),
  };
  const mapped = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      throw toEngineError(error, host);
    });
  return {
    startGhost: (shape, purpose, signal) => startGhost(source, shape, purpose, signal),
    inspectImage: (reference) => mapped(inspectImage(docker, reference)),
    pullImage: (reference, onProgress, signal) => pullImage(docker, host, reference, onProgress, signal),
    ping: () => mapped(ping()),
    removeStrays: (keep) => mapped(removeStrays(source, keep)),
    watch: (options, signal) =>
      mapped(watchEngine({ docker, gatewayId, departures: leaving }, options, signal)),
    close,
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
