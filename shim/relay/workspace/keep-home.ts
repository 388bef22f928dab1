import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { abortable, deadline } from '../../../src/abort.ts';
import { backoffMs } from '../control/backoff.ts';
import type { TellProblem } from '../control/keep-each.ts';
import type { Link } from '../control/renewing-link.ts';
import type { VolumeFinder } from '../execution/find-mountpoint.ts';
import { carryLane } from './carry-lane.ts';
import type { ContainedCarriers } from './contained-carriers.ts';
import { greetCarrier, type HomeCarrier } from './home-carrier.ts';
import { findPlace, type HomePlace } from './home-place.ts';
import type { HomeWish } from './home-wish.ts';
import { type OnComplaint, startChild } from './started-carrier.ts';
import { watchRoot } from './watch-root.ts';

export interface KeepParts {
  readonly link: Pick<Link, 'carry' | 'waitForReady'>;
  readonly engine: VolumeFinder;
  /** The carrier. */
  readonly binary: string;
  readonly containers: Pick<ContainedCarriers, 'start'>;
  readonly log: Logger;
}

const readyTimeoutMs = 30_000;
/** A first look at a large workspace on a slow disk takes minutes. */
const lookWithinMs = 60 * 60_000;
/** A look that takes longer is told. */
const tellLookMs = 5000;
const stableMs = 30_000;

/**
 * Keeps the home of an agent's workspace until `signal` aborts: one carrier and one lane to the gateway at a time,
 * begun again if either ends. Never rejects.
 */
export async function keepHome(
  agent: string,
  wish: HomeWish,
  parts: KeepParts,
  tell: TellProblem,
  signal: AbortSignal,
): Promise<void> {
  const log = parts.log.child({ agent });
  for (let failures = 0; !signal.aborted; failures += 1) {
    if (!(await reached(parts.link, signal))) continue;
    const began = performance.now();
    const why = await keepOnce(agent, wish, { ...parts, log }, tell, signal);
    if (performance.now() - began > stableMs) failures = 0;
    const retryMs = Math.round(backoffMs(failures));
    if (!signal.aborted) log.warn({ why, retryMs }, 'the workspace is not kept');
    await sleep(retryMs, undefined, { signal }).catch(() => {});
  }
}

function reached(link: KeepParts['link'], signal: AbortSignal): Promise<boolean> {
  return abortable(link.waitForReady(readyTimeoutMs), signal).catch(() => false);
}

/** Resolves with the reason for its end. */
async function keepOnce(
  agent: string,
  wish: HomeWish,
  parts: KeepParts,
  tell: TellProblem,
  signal: AbortSignal,
): Promise<string> {
  const { log, link, engine } = parts;
  try {
    const place = await findPlace(wish, engine, signal);
    using watched = await watchRoot(place.root, signal);
    const { carrier, refusal } = await startBest({ agent, wish, parts, tell }, place, watched.signal);
    await using _ = carrier;
    tell(refusal);
    if (refusal === '') log.info({ root: place.root, contained: place.contained }, 'the workspace is kept');
    // A refusal goes to the gateway, too: it is the carrier's last frame.
    const ended = await carryLane(agent, wish, carrier, link.carry(), watched.signal);
    return refusal || ended;
  } catch (error) {
    const { message } = error as Error;
    tell(message);
    return message;
  }
}

interface Greeted {
  readonly carrier: HomeCarrier;
  /** Empty if it is ready. */
  readonly refusal: string;
}

interface Keeping {
  readonly agent: string;
  readonly wish: HomeWish;
  readonly parts: KeepParts;
  readonly tell: TellProblem;
}

/** A carrier that has greeted, with its own files in the best place that can be. */
async function startBest(keeping: Keeping, place: HomePlace, signal: AbortSignal): Promise<Greeted> {
  const [area, next, ...more] = place.areas;
  const carrier = await startIn(area, keeping, place, signal);
  await using starting = new AsyncDisposableStack();
  starting.use(carrier);
  const refusal = await greeted(carrier, keeping.tell, signal);
  if (refusal.startsWith('area-apart:') && next !== undefined)
    return await startBest(keeping, { ...place, areas: [next, ...more] }, signal);
  starting.move();
  return { carrier, refusal };
}

/** What the carrier may open is what the agent may open. */
async function startIn(
  area: string,
  { agent, wish, parts: { binary, containers, log } }: Keeping,
  { seen, contained }: HomePlace,
  signal: AbortSignal,
): Promise<HomeCarrier> {
  const { user, limits, excludes } = wish;
  const onComplaint: OnComplaint = (text) => log.warn({ text }, 'the carrier complains');
  const started = contained
    ? await containers.start(agent, wish, onComplaint, signal)
    : startChild(binary, onComplaint);
  return greetCarrier(started, { role: 'home', contained, ...user, limits, root: seen, area, excludes });
}

/** The carrier's greeting, or its end. */
async function greeted(carrier: HomeCarrier, tell: TellProblem, signal: AbortSignal): Promise<string> {
  const long = setTimeout(() => tell('the carrier still looks at it'), tellLookMs);
  using late = deadline(lookWithinMs, () => new Error('the carrier looked at it for an hour'), signal);
  try {
    return await abortable(carrier.greeting, late.signal);
  } finally {
    clearTimeout(long);
  }
}
