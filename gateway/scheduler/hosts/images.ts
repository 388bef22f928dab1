import { abortable } from '../../../src/abort.ts';
import { ClawrdenError } from '../../../src/errors.ts';
import type { Policy } from '../../../src/policy/policy.ts';
import type { ImageFacts } from '../../ports/engine.ts';
import type { DockerHost } from './docker-host.ts';

/** Every image that a policy names. */
export function imagesOf(policy: Policy): string[] {
  const rules = policy.version === 1 ? policy.rules : [];
  const places = [...policy.tools.values(), ...rules.flatMap(({ overrides }) => overrides ?? [])];
  return [...new Set(places.flatMap(({ image }) => image ?? []))];
}

type Labels = DockerHost['config']['labels'];

/** Hosts that may run a command with these labels now: only they say what it is, if there are any. */
export function able(hosts: readonly DockerHost[], labels: Labels): readonly DockerHost[] {
  return hosts.filter((host) => host.state === 'ready' && host.carries(labels));
}

/**
 * The image of the first of these hosts that has it, but of those that have just failed last. Hosts that do not answer
 * are asked meanwhile, and waited for in the end.
 */
export async function firstWith(
  hosts: readonly DockerHost[],
  reference: string,
  signal: AbortSignal,
): Promise<ImageFacts | undefined> {
  const silent = hosts.filter(({ images }) => images.isSilentAbout(reference));
  for (const { images } of silent) void images.find(reference);
  for (const host of [...soundFirst(hosts.filter((one) => !silent.includes(one))), ...silent]) {
    const facts = await abortable(host.images.find(reference), signal);
    if (facts !== undefined) return facts;
  }
  return undefined;
}

/** A host whose starts fail would have its images run nowhere else. */
export function soundFirst(hosts: readonly DockerHost[]): readonly DockerHost[] {
  const isSound = ({ faulty, starts }: DockerHost) => !faulty && !starts.onTrial;
  return hosts.every(isSound) ? hosts : [...hosts.filter(isSound), ...hosts.filter((one) => !isSound(one))];
}

/**
 * What a tag means: the image of the first host in gateway.yaml that may run the command and has it; see `firstWith`.
 * Throws `image-missing` or `no-host`.
 */
export async function resolveImage(
  hosts: readonly DockerHost[],
  reference: string,
  labels: Labels,
  signal: AbortSignal,
): Promise<ImageFacts> {
  const fit = able(hosts, labels);
  const up = fit.length > 0 ? fit : hosts.filter((host) => host.up);
  if (up.length === 0) throw new ClawrdenError('no-host', `no Docker host is up${problems(hosts)}`);
  const facts = await firstWith(up, reference, signal);
  if (facts !== undefined) return facts;
  throw new ClawrdenError(
    'image-missing',
    `no Docker host ${fit.length > 0 ? 'that may run it ' : ''}has the image ${reference}; load or pull it there`,
  );
}

/** Which images a ready host lacks, or has in another version than their tags mean; empty if none. */
export function imagesProblem(
  host: DockerHost,
  hosts: readonly DockerHost[],
  references: readonly string[],
): string {
  const wrong = references.flatMap((reference) => {
    const meant = hosts.find(({ up, images }) => up && images.idOf(reference))?.images.idOf(reference);
    const own = host.images.idOf(reference);
    if (own === meant) return [];
    return [`${own === undefined ? 'image-missing' : 'image-differs'}: ${reference}`];
  });
  return host.up ? wrong.join(', ') : '';
}

function problems(hosts: readonly DockerHost[]): string {
  return hosts.map(({ name, problem }) => `; ${name}: ${problem}`).join('');
}
