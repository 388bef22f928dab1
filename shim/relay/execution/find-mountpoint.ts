import type Docker from 'dockerode';
import { z } from 'zod';

export interface VolumeFinder {
  /** The folder of a volume of this host's engine. Rejects with a line for people, after 3 s at most. */
  readonly mountpoint: (volume: string, signal: AbortSignal) => Promise<string>;
}

const volumeFacts = z.object({
  Driver: z.string(),
  Mountpoint: z.string().startsWith('/'),
  Options: z.record(z.string(), z.string()).nullish(),
});

const callTimeoutMs = 3000;

/**
 * See `VolumeFinder`. A volume that the engine mounts only while a container runs is refused: between two containers it
 * looks empty.
 */
export async function findMountpoint(docker: Docker, volume: string, signal: AbortSignal): Promise<string> {
  const facts = await lookAt(docker, volume, signal);
  const { Driver, Mountpoint, Options } = volumeFacts.parse(facts);
  const mounted = ['device', 'type'].some((key) => Options?.[key] !== undefined);
  if (Driver !== 'local' || mounted)
    throw new Error(`volume ${volume} is not a plain one of the engine's: name its folder with bind instead`);
  return Mountpoint;
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
