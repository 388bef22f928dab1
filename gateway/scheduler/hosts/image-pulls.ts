import { abortable, deadline, onAbort } from '../../../src/abort.ts';
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
  /** Resolves once it is slow. */
  readonly slow: Promise<void>;
  isSlow: boolean;
  readonly waiting: Set<(percent: number) => void>;
  readonly stop: AbortController;
  percent: number;
}

/** A tag may change its meaning, so only a reference by digest is ever pulled. */
const namesContent = /@sha256:[0-9a-f]{64}$/;
const tellEveryMs = 1000;
/** A pull is slow if its percentage stands still for so long, whether its host does not want to or cannot. */
const paceMs = 60_000;

/**
 * What an image's name means, like `resolveImage`. If no possible host has a `repo@sha256:…`, it is first pulled to
 * one of them, and if that is slow, to one more: the first that has it counts. Commands that want the same image
 * meanwhile share these pulls; one is canceled when the last of them is gone. Throws `image-missing` if the pull fails or
 * takes longer than `withinMs`; the next one is another host's.
 */
export function createImagePulls(
  hosts: readonly DockerHost[],
  withinMs: number,
): (reference: string, wish: ImageWish) => Promise<ImageFacts> {
  const pulls = new Map<string, Pull>();
  const failed = new FailedPulls();
  const pullTo = (host: DockerHost, reference: string): Pull => {
    const key = keyOf(host, reference);
    const known = pulls.get(key);
    if (known !== undefined) return known;
    const since = performance.now();
    const pull = startPull(host, reference, withinMs);
    pulls.set(key, pull);
    const forget = () => pulls.get(key) === pull && pulls.delete(key);
    // Nobody joins one that is given up while its engine has yet to say so.
    onAbort(pull.stop.signal, forget);
    const ended = (note: () => void) => () => {
      forget();
      note();
    };
    const inVain = () => {
      if (pull.stop.signal.aborted) failed.gaveUp(key, performance.now() - since);
      else failed.note(key);
    };
    // The command that waited may be gone.
    pull.facts.then(
      ended(() => failed.forget(key)),
      ended(inVain),
    );
    void pull.slow.then(() => {
      pull.isSlow = true;
      failed.note(key);
    });
    return pull;
  };
  const begin = (reference: string, fit: readonly DockerHost[], not?: DockerHost) => {
    const others = fit.filter((host) => host !== not);
    const host = pullingOf(fit, others, (each) => pulls.get(keyOf(each, reference)));
    const best = host ?? bestFor(reference, others, failed);
    return { host: best, pull: pullTo(best, reference) };
  };
  /** What another host has, once this pull is slow; otherwise as `facts`. */
  const orAnother = async (facts: Promise<ImageFacts>, { slow }: Pull, ask: () => Promise<ImageFacts>) =>
    (await Promise.race([slow.then(() => true), facts.then(() => false)])) ? await ask() : await facts;
  return async (reference, wish) => {
    const fit = able(hosts, wish.labels);
    if (!namesContent.test(reference) || fit.length === 0)
      return resolveImage(hosts, reference, wish.labels, wish.signal);
    const found = await firstWith(fit, reference, wish.signal);
    if (found !== undefined) return found;
    return await firstOf(wish, (waiting) => {
      const { host, pull } = begin(reference, fit);
      const facts = follow(pull, waiting);
      const another = orAnother(facts, pull, () => {
        const now = able(hosts, wish.labels);
        if (now.every((other) => other === host)) return facts;
        return follow(begin(reference, now, host).pull, waiting);
      });
      return [facts, another];
    });
  };
}

/** Of the answers that `ask` waits for; the rest is given up then. Rejects as the first of them if none comes. */
async function firstOf(
  wish: ImageWish,
  ask: (waiting: ImageWish) => readonly Promise<ImageFacts>[],
): Promise<ImageFacts> {
  const over = new AbortController();
  let told = -1;
  const onProgress = (percent: number) => {
    if (percent > told) wish.onProgress(percent);
    told = Math.max(told, percent);
  };
  try {
    return await Promise.any(
      ask({ ...wish, onProgress, signal: AbortSignal.any([wish.signal, over.signal]) }),
    );
  } catch (error) {
    throw error instanceof AggregateError ? error.errors[0] : error;
  } finally {
    over.abort(new ClawrdenError('canceled', 'another host has the image'));
  }
}

/** The one of `others` whose pull goes on; of two that are slow, the one that is further: no third one begins. */
function pullingOf(
  fit: readonly DockerHost[],
  others: readonly DockerHost[],
  pullOf: (host: DockerHost) => Pull | undefined,
): DockerHost | undefined {
  const pulling = others.filter((host) => pullOf(host) !== undefined);
  const goesOn = pulling.find((host) => pullOf(host)?.isSlow === false);
  const areTwo = fit.filter((host) => pullOf(host) !== undefined).length > 1;
  if (goesOn !== undefined || !areTwo || pulling.length === 0) return goesOn;
  return least(pulling, (host) => -(pullOf(host)?.percent ?? 0));
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

function startPull(host: DockerHost, reference: string, withinMs: number): Pull {
  const stop = new AbortController();
  const waiting = new Set<(percent: number) => void>();
  let [toldAt, reached, before] = [0, 0, 0];
  const onProgress = (percent: number) => {
    reached = percent;
    if (percent === pull.percent || performance.now() - toldAt < tellEveryMs) return;
    toldAt = performance.now();
    pull.percent = percent;
    for (const tell of waiting) tell(percent);
  };
  const slow = Promise.withResolvers<void>();
  const look = setInterval(() => {
    if (reached <= before) slow.resolve();
    before = reached;
  }, paceMs);
  const facts = run(host, reference, withinMs, onProgress, stop).finally(() => clearInterval(look));
  const pull: Pull = { facts, slow: slow.promise, isSlow: false, waiting, stop, percent: 0 };
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
