import type Docker from 'dockerode';
import type { ImageInspectInfo } from 'dockerode';
import { ClawrdenError } from '../../../src/errors.ts';
import type { PlanImage } from '../../../src/plan.ts';
import type { ImageFacts } from '../../ports/engine.ts';
import { callTimeoutMs } from '../engine/deadline.ts';
import { statusOf } from '../engine/engine-errors.ts';
import { getJson } from '../engine/get-json.ts';

const maxCached = 256;

/** `undefined` if the engine has no such image. */
export async function inspectImage(docker: Docker, reference: string): Promise<ImageFacts | undefined> {
  try {
    return parse(await getJson(docker, `/images/${reference}/json`, callTimeoutMs));
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw error;
  }
}

function parse(answer: unknown): ImageFacts {
  const { Id, RepoDigests, Config } = answer as Pick<ImageInspectInfo, 'Id' | 'RepoDigests' | 'Config'>;
  return {
    id: Id,
    repoDigests: RepoDigests ?? [],
    env: Config?.Env ?? [],
    volumes: Object.keys(Config?.Volumes ?? {}),
  };
}

/**
 * The VOLUME paths of a plan's image, asked once per image, because the same id has the same configuration. Throws
 * `image-missing` if the engine does not have the image.
 */
export function imageVolumes(docker: Docker, host: string): (image: PlanImage) => Promise<readonly string[]> {
  const cached = new Map<string, readonly string[]>();
  return async ({ id, reference }) => {
    const before = cached.get(id);
    if (before !== undefined) return before;
    const facts = await inspectImage(docker, id);
    if (facts === undefined) {
      const missing = `host ${host}: image ${reference} (${id}) is not there; load it into that engine`;
      throw new ClawrdenError('image-missing', missing);
    }
    if (cached.size >= maxCached) cached.clear();
    cached.set(id, facts.volumes);
    return facts.volumes;
  };
}
