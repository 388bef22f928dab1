import { createHash, randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type Docker from 'dockerode';
import { abortable } from '../../../src/abort.ts';
import { ClawrdenError } from '../../../src/errors.ts';
import type { PlanImage } from '../../../src/plan.ts';
import type { Ghost, GhostPurpose, GhostShape } from '../../ports/engine.ts';
import { engineText, toEngineError } from '../engine/engine-errors.ts';
import type { EngineLog } from '../engine/engine-log.ts';
import type { Renewable } from '../engine/renewable.ts';
import { createBody, type InitVolume } from './create-body.ts';
import { createContainer } from './create-container.ts';
import type { Departures } from './departures.ts';
import { ghostOf } from './ghost.ts';
import { ghostLabels } from './ghost-labels.ts';
import { tellsOfMissingInit } from './missing-init.ts';
import { removeContainer } from './remove-container.ts';
import { requireVolumes } from './require-volumes.ts';
import { startInit } from './start-init.ts';
import type { StartingContainers } from './starting-containers.ts';

/** What all starts on one engine share. */
export interface GhostSource {
  readonly docker: Docker;
  readonly host: string;
  readonly gatewayId: string;
  readonly log: EngineLog;
  readonly starting: StartingContainers;
  readonly departures: Departures;
  readonly initVolume: Renewable<InitVolume>;
  readonly imageVolumes: (image: PlanImage) => Promise<readonly string[]>;
}

/**
 * A failed start waits no longer than this for its removal; on a slower engine the removal continues in the
 * background.
 */
const destroyWaitMs = 2000;

/** See `Engine.startGhost`. Rejects at the latest 2 s after `signal` aborts. */
export async function startGhost(
  source: GhostSource,
  shape: GhostShape,
  purpose: GhostPurpose,
  signal: AbortSignal,
): Promise<Ghost> {
  try {
    const init = await abortable(source.initVolume.get(), signal);
    try {
      return await attempt(source, shape, purpose, init, signal);
    } catch (error) {
      if (signal.aborted || !tellsOfMissingInit(error, init)) throw error;
      source.log.warn(
        { host: source.host, why: engineText(error) },
        'the init is gone from its volume: filling it again',
      );
      const refilled = await abortable(source.initVolume.renew(init), signal);
      return await attempt(source, shape, purpose, refilled, signal);
    }
  } catch (error) {
    throw signal.aborted ? reasonOf(signal) : toEngineError(error, source.host);
  }
}

async function attempt(
  source: GhostSource,
  shape: GhostShape,
  purpose: GhostPurpose,
  init: InitVolume,
  signal: AbortSignal,
): Promise<Ghost> {
  const known = Promise.all([
    source.imageVolumes(shape.image),
    requireVolumes(source.docker, source.host, shape.mounts),
  ]);
  const [volumes] = await abortable(known, signal);
  const body = createBody(shape, volumes, init);
  const pool = purpose.pooled ? hashOf(body) : '';
  const labelled = { agent: shape.agent, pool, timeoutMs: purpose.timeoutMs };
  const name = `clawrden-${purpose.executionId ?? randomBytes(6).toString('hex')}`;
  const Labels = ghostLabels(source.gatewayId, labelled, Date.now());
  return startNew(source, name, { ...body, Labels }, signal);
}

function hashOf(body: Docker.ContainerCreateOptions): string {
  return createHash('sha256').update(JSON.stringify(body)).digest('hex');
}

async function startNew(
  source: GhostSource,
  name: string,
  body: Docker.ContainerCreateOptions,
  signal: AbortSignal,
): Promise<Ghost> {
  const forget = [source.starting.add(name)];
  const created = createContainer(source.docker, name, body);
  try {
    const container = await abortable(created, signal);
    forget.push(source.starting.add(container.id));
    return ghostOf(source, container, await startInit(container, signal));
  } catch (error) {
    await Promise.race([
      destroyStarted(source, name, created),
      setTimeout(destroyWaitMs, undefined, { ref: false }),
    ]);
    throw error;
  } finally {
    // Only after the caller had a turn to note the ghost that it got.
    setImmediate(() => {
      for (const each of forget) each();
    });
  }
}

/** By name, because an engine that does not answer the create may have made the container. */
async function destroyStarted(
  { docker, host, log }: GhostSource,
  name: string,
  created: Promise<unknown>,
): Promise<void> {
  await created.catch(() => {});
  try {
    await removeContainer(docker, name);
  } catch (error) {
    log.warn({ host, container: name, why: engineText(error) }, 'a container may be left');
  }
}

function reasonOf({ reason }: AbortSignal): ClawrdenError {
  if (reason instanceof ClawrdenError) return reason;
  const late = reason instanceof Error && reason.name === 'TimeoutError';
  return late
    ? new ClawrdenError('start-timeout', 'the container did not start in time', { cause: reason })
    : new ClawrdenError('canceled', 'the start was canceled', { cause: reason });
}
