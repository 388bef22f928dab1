import { abortable } from '../../../src/abort.ts';
import { startEnded } from '../container/start-container.ts';
import { engineText, statusOf, toEngineError } from '../engine/engine-errors.ts';
import type { EngineLog } from '../engine/engine-log.ts';
import type { Renewable } from '../engine/renewable.ts';
import {
  carrierFile,
  emptyImage,
  hostsFile,
  type InitVolume,
  initDirectory,
  initFile,
} from './init-layout.ts';

export interface InitSource {
  readonly host: string;
  readonly log: EngineLog;
  readonly initVolume: Renewable<InitVolume>;
}

/**
 * A start that needs our programs on the host; once more if they are gone from there. Rejects with a ClawrdenError, or
 * with the signal's reason.
 */
export async function withInit<T>(
  source: InitSource,
  start: (init: InitVolume) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  try {
    const init = await abortable(source.initVolume.get(), signal);
    try {
      return await start(init);
    } catch (error) {
      if (signal.aborted || !tellsOfMissingInit(error, init)) throw error;
      source.log.warn(
        { host: source.host, why: engineText(error) },
        'the init is gone from its volume: filling it again',
      );
      return await start(await abortable(source.initVolume.renew(init), signal));
    }
  } catch (error) {
    throw signal.aborted ? startEnded(signal) : toEngineError(error, source.host);
  }
}

/**
 * Whether the engine refused a container because the init's volume lacks its files, or because the image of nothing is
 * gone: somebody pruned them, and Docker made an empty volume.
 */
function tellsOfMissingInit(error: unknown, init: InitVolume): boolean {
  if (statusOf(error) === undefined) return false;
  const text = engineText(error);
  const gone = [
    `${initDirectory}/${initFile}`,
    `${initDirectory}/${carrierFile}`,
    `${init.mountpoint}/${hostsFile}`,
    `No such image: ${emptyImage}`,
  ];
  return gone.some((each) => text.includes(each));
}
