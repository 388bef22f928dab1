import { readFileSync } from 'node:fs';
import type { Engine } from '../engine.ts';
import { pingEngine, refuseMappedUsers } from './check-host.ts';
import { connect, type EngineAddress } from './connect.ts';
import { toEngineError } from './engine-errors.ts';
import type { EngineLog } from './engine-log.ts';
import { imageVolumes, inspectImage } from './image-facts.ts';
import { fillInitVolume } from './init-volume.ts';
import { removeStrays } from './remove-strays.ts';
import { renewable } from './renewable.ts';
import { startGhost } from './start-ghost.ts';
import { startingContainers } from './starting-containers.ts';

/**
 * One engine as the gateway uses it. Throws on an address or an init file (the static `clawrden-init`) that cannot be
 * used; nothing is sent before the first call.
 */
export function openEngine(
  address: EngineAddress,
  gatewayId: string,
  initBinary: string,
  log: EngineLog,
): Engine {
  const { name: host } = address;
  const docker = connect(address);
  const starting = startingContainers();
  const init = readFileSync(initBinary);
  const initVolume = renewable(async (again) => {
    if (!again) await refuseMappedUsers(docker, host);
    return fillInitVolume({ docker, gatewayId, starting, init }, again);
  });
  const source = {
    docker,
    host,
    gatewayId,
    log,
    starting,
    initVolume,
    imageVolumes: imageVolumes(docker, host),
  };
  const mapped = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      throw toEngineError(error, host);
    });
  return {
    startGhost: (plan, labels, signal) => startGhost(source, plan, labels, signal),
    inspectImage: (reference) => mapped(inspectImage(docker, reference)),
    ping: () => mapped(ping()),
    removeStrays: (keep) => mapped(removeStrays(source, keep)),
  };

  async function ping(): Promise<void> {
    try {
      await pingEngine(docker);
    } catch (error) {
      // What comes back may be another engine at the same address.
      initVolume.forget();
      throw error;
    }
    await initVolume.get();
  }
}
