import { createHash } from 'node:crypto';
import type Docker from 'dockerode';
import { ClawrdenError } from '../../../src/errors.ts';
import type { PlanImage } from '../../../src/plan.ts';
import type { ImageFacts } from '../../ports/engine.ts';
import { callTimeoutMs } from '../engine/deadline.ts';
import { statusOf } from '../engine/engine-errors.ts';
import type { EngineLog } from '../engine/engine-log.ts';
import { getJson } from '../engine/get-json.ts';

const maxCached = 256;

/** A tag or a registry in the place of an id would name something else on another host. */
const idForm = /^sha256:[0-9a-f]{64}$/;
/** More than an image has. Every plan of it has its environment. */
const [mostStrings, mostBytes] = [1000, 64 * 1024];

interface EngineOfImages {
  readonly docker: Docker;
  readonly host: string;
  readonly log: EngineLog;
}

/** `undefined` if the engine has no such image, or says of it what cannot be. */
export async function inspectImage(
  { docker, host, log }: EngineOfImages,
  reference: string,
): Promise<ImageFacts | undefined> {
  const answer = await describedBy(docker, reference);
  if (answer === undefined) return undefined;
  const facts = parse(answer);
  if (facts === undefined) log.warn({ host, image: reference }, 'the host says of the image what cannot be');
  return facts;
}

async function describedBy(docker: Docker, reference: string): Promise<object | undefined> {
  try {
    return Object(await getJson(docker, `/images/${reference}/json`, callTimeoutMs)) as object;
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw error;
  }
}

interface Described {
  readonly Id?: unknown;
  readonly Config?: { readonly Env?: unknown; readonly Volumes?: unknown } | null;
}

function parse({ Id, Config }: Described): ImageFacts | undefined {
  const env = fewStrings(Config?.Env ?? []);
  const { Volumes } = Config ?? {};
  const volumes = fewStrings(typeof Volumes === 'object' ? Object.keys(Volumes ?? {}) : []);
  if (typeof Id !== 'string' || !idForm.test(Id) || env === undefined || volumes === undefined)
    return undefined;
  return { id: Id, env, envHash: createHash('sha256').update(JSON.stringify(env)).digest('hex'), volumes };
}

function fewStrings(list: unknown): readonly string[] | undefined {
  if (!Array.isArray(list) || list.length > mostStrings) return undefined;
  const strings = list.filter((item) => typeof item === 'string');
  const bytes = strings.reduce((sum, item) => sum + Buffer.byteLength(item), 0);
  return strings.length === list.length && bytes <= mostBytes ? strings : undefined;
}

/**
 * The VOLUME paths of a plan's image, asked once per image, because the same id has the same configuration. Throws
 * `image-missing` if the engine does not have the image.
 */
export function imageVolumes(engine: EngineOfImages): (image: PlanImage) => Promise<readonly string[]> {
  const cached = new Map<string, readonly string[]>();
  return async ({ id, reference }) => {
    const before = cached.get(id);
    if (before !== undefined) return before;
    const facts = await inspectImage(engine, id);
    if (facts === undefined) {
      const missing = `host ${engine.host}: image ${reference} (${id}) is not there; load it into that engine`;
      throw new ClawrdenError('image-missing', missing);
    }
    if (cached.size >= maxCached) cached.clear();
    cached.set(id, facts.volumes);
    return facts.volumes;
  };
}
