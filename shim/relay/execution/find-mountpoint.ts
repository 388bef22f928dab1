import type Docker from 'dockerode';
import { volumeFolder } from '../../../src/volume-folder.ts';

export interface VolumeFinder {
  /** The folder of a volume of this host's engine. Rejects with a line for people, after 3 s at most. */
  readonly mountpoint: (volume: string, signal: AbortSignal) => Promise<string>;
}

const callTimeoutMs = 3000;

/** See `VolumeFinder`. */
export async function findMountpoint(docker: Docker, volume: string, signal: AbortSignal): Promise<string> {
  return volumeFolder(volume, await lookAt(docker, volume, signal));
}

async function lookAt(docker: Docker, volume: string, signal: AbortSignal): Promise<unknown> {
  const abortSignal = AbortSignal.any([signal, AbortSignal.timeout(callTimeoutMs)]);
  try {
    return await docker.getVolume(volume).inspect({ abortSignal });
  } catch (error) {
    const { statusCode, message } = error as { statusCode?: number; message?: string };
    if (statusCode === 404)
      throw new Error(`there is no volume ${volume} on this agent host`, { cause: error });
    throw new Error(`the agent host's engine does not answer: ${message ?? String(error)}`, { cause: error });
  }
}
