import { abortable, deadline } from '../../../src/abort.ts';
import { ClawrdenError } from '../../../src/errors.ts';
import type { ImageFacts } from '../../ports/engine.ts';
import type { DockerHost } from './docker-host.ts';
import { FailedPulls } from './failed-pulls.ts';
import { able, firstWith, resolveImage } from './images.ts';

/** A command that needs an image. */
export interface ImageWish {
  /** Labels that its host must have. */
  readonly labels: Readonly<Record<string, string>>;
  /** Whole per cent of the pull for which it waits: at first, and then at most once a second when it has changed. */
  readonly onProgress: (percent: number) => void;
  readonly signal: AbortSignal;
}

interface Pull {
  readonly facts: Promise<ImageFacts>;
  readonly waiting: Set<(percent: number) => void>;
  readonly stop: AbortController;
  percent: number;
}

/** A tag may change its meaning, so only a reference by digest is ever pulled. */
const namesContent = /@sha256:[0-9a-f]{64}$/;
const tellEveryMs = 1000;
/** Few wait longer for a tool: a pull that was given up after that counts as one that failed. */
const patienceMs = 60_000;

/**
 * What an image's name means, like `resolveImage`. If no possible host has a `repo@sha256:…`, it is first pulled to
 * one of them. Commands that want the same image meanwhile share the pull; it is canceled when the last of them is
 * gone. Throws `image-missing` if the pull fails or takes longer than `withinMs`; the next one is another host's.
 */
export function createImagePulls(
  hosts: readonly DockerHost[],
  withinMs: number,
): (reference: string, wish: ImageWish) => Promise<ImageFacts> {
  const pulls = new Map<string, Pull>();
  const failed = new FailedPulls();
  const pullTo = (host: DockerHost, reference: string): Pull => {
    const key = keyOf(host, reference);
    const onEnd = (hasFailed: boolean) => {
      pulls.delete(key);
      if (hasFailed) failed.note(key);
    };
    const pull = pulls.get(key) ?? startPull(host, reference, withinMs, onEnd);
    pulls.set(key, pull);
    return pull;
  };
  return async (reference, wish) => {
    const fit = able(hosts, wish.labels);
    if (!namesContent.test(reference) || fit.length === 0)
      return resolveImage(hosts, reference, wish.labels, wish.signal);
    const found = await firstWith(fit, reference, wish.signal);
    if (found !== undefined) return found;
    const begun = fit.find((host) => pulls.has(keyOf(host, reference)));
    return follow(pullTo(begun ?? bestFor(reference, fit, failed), reference), wish);
  };
}

function keyOf({ name }: DockerHost, reference: string): string {
  return `${name} ${reference}`;
}

/** The idlest: but one that has just failed runs nothing, and would take each pull. If all failed, they take turns. */
function bestFor(reference: string, hosts: readonly DockerHost[], failed: FailedPulls): DockerHost {
  const failedAt = (host: DockerHost) => failed.when(keyOf(host, reference));
  const untried = hosts.filter((host) => failedAt(host) === undefined);
  if (untried.length === 0) return least(hosts, (host) => failedAt(host) ?? 0);
  const sound = untried.filter(({ faulty, images }) => !faulty && !images.isSilentAbout(reference));
  return least(sound.length > 0 ? sound : untried, ({ running }) => running);
}

function least(hosts: readonly DockerHost[], of: (host: DockerHost) => number): DockerHost {
  return hosts.reduce((best, host) => (of(host) < of(best) ? host : best));
}

function startPull(
  host: DockerHost,
  reference: string,
  withinMs: number,
  onEnd: (hasFailed: boolean) => void,
): Pull {
  const since = performance.now();
  const stop = new AbortController();
  const waiting = new Set<(percent: number) => void>();
  let toldAt = 0;
  const onProgress = (percent: number) => {
    if (percent === pull.percent || performance.now() - toldAt < tellEveryMs) return;
    toldAt = performance.now();
    pull.percent = percent;
    for (const tell of waiting) tell(percent);
  };
  const facts = run(host, reference, withinMs, onProgress, stop);
  // The command that waited may be gone.
  facts.then(
    () => onEnd(false),
    () => onEnd(!stop.signal.aborted || performance.now() - since >= patienceMs),
  );
  const pull: Pull = { facts, waiting, stop, percent: 0 };
  return pull;
}

async function run(
  host: DockerHost,
  reference: string,
  withinMs: number,
  onProgress: (percent: number) => void,
  stop: AbortController,
): Promise<ImageFacts> {
  const missing = (why: string) =>
    new ClawrdenError('image-missing', `host ${host.name}: ${reference} ${why}`);
  using until = deadline(withinMs, () => missing(`was not pulled in ${withinMs / 1000} s`), stop.signal);
  const forget = host.onLost((error) => stop.abort(error));
  try {
    await host.engine.pullImage(reference, onProgress, until.signal);
    await host.images.refresh();
    const facts = await host.images.find(reference);
    if (facts === undefined) throw missing('was pulled and is not there');
    return facts;
  } finally {
    forget();
  }
}

async function follow(pull: Pull, { signal, onProgress }: ImageWish): Promise<ImageFacts> {
  const tell = (percent: number) => onProgress(percent);
  pull.waiting.add(tell);
  tell(pull.percent);
  try {
    return await abortable(pull.facts, signal);
  } finally {
    pull.waiting.delete(tell);
    if (pull.waiting.size === 0) pull.stop.abort(new ClawrdenError('canceled', 'nobody waits for the image'));
  }
}
